"""The HTML page: well formed, whole, and with nothing of the source that a browser would take for markup."""

from __future__ import annotations

from html.parser import HTMLParser

from msgspec.structs import replace

from shimgen.model.domain import ClassRef
from shimgen.report.html import render
from tests.builders import ANALYSIS, FORWARDED, REFUSED


class Page(HTMLParser):
    """The text of a page, cell by cell, and the tags that were opened."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(" ".join(data.split()))


def test_every_gap_with_its_decision_reason_and_places() -> None:
    page = Page(render(ANALYSIS))
    start = page.texts.index("Wrapper")
    assert page.texts[start : start + 8] == [
        "Wrapper",
        "holds Delegate in self.language_model,",
        "models/wrapper.py:3",
        "member",
        "decision",
        "severity",
        "why",
        "where it is asked for",
    ]
    assert page.texts[start + 8 :] == [
        "get_embed_and_head",
        "forward",
        "crash",
        "Base models/delegate.py:20",
        "1 site",
        "engine/worker.py:7 call target self.runner.model.get_embed_and_head",
        "start_layer",
        "refuse",
        "silent",
        REFUSED.sentence,
        "1 site",
        'engine/runner.py:12 probe any model.start_layer, guarded by hasattr(model, "start_layer")',
    ]


def test_text_of_the_source_is_no_markup() -> None:
    odd = replace(FORWARDED, wrapper=replace(FORWARDED.wrapper, cls=ClassRef("<b>.py", "A<script>", 2)), member="a&b")
    page = render(replace(ANALYSIS, wrappers=(odd.wrapper,), gaps=(odd,)))
    assert "script" not in Page(page).tags
    assert {"A<script>", "<b>.py:2", "a&b"} <= set(Page(page).texts)


def test_a_page_without_gaps_has_the_totals() -> None:
    texts = Page(render(replace(ANALYSIS, gaps=()))).texts
    assert any("0 gaps in scope" in text for text in texts)
    assert "Wrapper" not in texts
