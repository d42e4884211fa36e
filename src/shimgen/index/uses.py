"""Uses of models in engine code: which members it calls, reads, writes and probes, and under which guards."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from shimgen.index.use.names import Names, names_of
from shimgen.index.use.rules import Place, Rules, rules_for
from shimgen.index.use.statements import Statements, parameter
from shimgen.index.use.values import Environment, Member, Model, Returns, Text, Value, models, union
from shimgen.model.facts import Use
from shimgen.model.profile import Profile
from shimgen.syntax import FunctionNode, source_of

_ROUNDS = 3


def extract_uses(module: ast.Module, package_path: str, profile: Profile, content: bytes = b"") -> tuple[Use, ...]:
    """The uses of models in one file, sorted by line.

    `package_path` is the file's path from the folder that contains the package ("sglang/srt/..."). With `content`,
    the file's bytes, functions whose text names no receiver are not looked at. A file that the profile does not
    search for demands has none.
    """
    rules = rules_for(profile, package_path)
    if rules is None:
        return ()
    functions, classes = _definitions(module)
    names = names_of(module, package_path, classes)
    clues = [clue.pattern for clue in rules.clues if not content or clue.found(content)]
    lines = _Lines(content, [*clues, *_renamed(names, rules), *_kept(rules)] if clues else [])
    scan = _Scan(rules, names, lines)
    uses = scan.functions(functions)
    for cls in classes:
        uses += scan.cls(cls)
    unique = dict.fromkeys(uses)
    return tuple(sorted(unique, key=lambda use: (use.line, use.member, use.kind, use.receiver, use.rule)))


def may_hold_uses(content: bytes, package_path: str, profile: Profile) -> bool:
    """Whether a file can hold uses at all: false only when no receiver's name occurs in its text."""
    rules = rules_for(profile, package_path)
    return rules is not None and any(clue.found(content) for clue in rules.clues)


def _renamed(names: Names, rules: Rules) -> Iterator[re.Pattern[bytes]]:
    """Local names of imported accessors: the text of a call does not show what it calls."""
    for local, dotted in names.imports.items():
        if dotted.rpartition(".")[2] in rules.accessors:
            yield _word(local)


def _kept(rules: Rules) -> Iterator[re.Pattern[bytes]]:
    """Assignments that keep on self what leads to a model: other methods go on from there."""
    if rules.holders:
        yield re.compile(rb"self\.\w+ = [^\n]*\b(?:%s)\b" % "|".join(sorted(rules.holders)).encode())


def _word(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"%s\b" % re.escape(name).encode())


class _Lines:
    """Which lines of a file name a receiver; every line when the text is not known or its lines are unusual."""

    def __init__(self, content: bytes, patterns: Iterable[re.Pattern[bytes]]) -> None:
        usual = bool(content) and content.count(b"\r") == content.count(b"\r\n") and b"\f" not in content
        self._content = content if usual else b""
        self._ends = [m.start() for m in re.finditer(rb"\n", self._content)]
        self._numbers: list[int] = []
        for pattern in patterns:
            self.add(pattern)

    def add(self, pattern: re.Pattern[bytes]) -> None:
        """Look for one more pattern."""
        if self._content:
            found = {bisect_left(self._ends, m.start()) + 1 for m in pattern.finditer(self._content)}
            self._numbers = sorted(found.union(self._numbers))

    def hit(self, node: ast.stmt) -> bool:
        """Whether a receiver may occur in the statement."""
        if not self._content:
            return True
        index = bisect_left(self._numbers, node.lineno)
        return index < len(self._numbers) and self._numbers[index] <= (node.end_lineno or node.lineno)


class _Round(msgspec.Struct):
    uses: list[Use]
    env: Environment


class _Scan:
    """Goes through the functions of a file, again where a first round has shown more receivers."""

    def __init__(self, rules: Rules, names: Names, lines: _Lines) -> None:
        self._rules = rules
        self._names = names
        self._lines = lines
        self._env: Environment = {}
        self._classes: dict[str, Environment] = {}

    def functions(self, nodes: Sequence[FunctionNode]) -> list[Use]:
        """Uses in module-level functions; what functions return is known in the whole file from here on."""
        last = _Round([], {})
        for _ in range(_ROUNDS):
            last = self._round(nodes, (), self._env)
            if last.env == self._env:
                break
            self._env = last.env
            for name in last.env:
                self._lines.add(_word(name))
        return last.uses

    def cls(self, node: ast.ClassDef) -> list[Use]:
        """Uses in the methods of a class; what methods store on self is known in all of them."""
        nodes = [n for n in _statements(node.body) if isinstance(n, FunctionNode)]
        inherited = self._fields(node)
        for base in node.bases:
            inherited.update(self._classes.get(source_of(base), {}))
        env = inherited
        last = _Round([], env)
        for _ in range(_ROUNDS):
            for key, value in env.items():
                if not any(isinstance(b, Text) for b in value):
                    self._lines.add(_word(key))
            last = self._round(nodes, (node.name,), {**self._env, **env})
            found = {**inherited, **last.env}
            if found == env:
                break
            env = found
        self._classes[node.name] = env
        return last.uses

    def _fields(self, node: ast.ClassDef) -> Environment:
        """Fields that a dataclass declares: its generated __init__ takes them as parameters."""
        found: Environment = {}
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                name = statement.target.id
                value = parameter(self._rules, Place((node.name,), "__init__"), name, statement.annotation)
                if value is not None:
                    found[f"self.{name}"] = (value,)
        return found

    def _round(self, nodes: Sequence[FunctionNode], classes: tuple[str, ...], env: Environment) -> _Round:
        uses: list[Use] = []
        stored: dict[str, list[Value]] = {}
        for node in nodes:
            if not self._lines.hit(node):
                continue
            place = Place((*classes, *_annotated_self(node)), node.name)
            run = Statements(self._rules, self._names, place, dict(env))
            run.function(node)
            uses += run.uses
            for key, values in run.stored.items():
                stored.setdefault(key, []).extend(values)
            result = union(*run.returned)
            if models(result):
                name = f"self.{node.name}" if classes else node.name
                stored.setdefault(name, []).append(result if _is_property(node) else (Returns(result),))
        return _Round(uses, {key: union(*values) for key, values in stored.items() if self._known(values)})

    def _known(self, values: Sequence[Value]) -> bool:
        """Whether it helps other methods to know what an attribute was set to."""
        return any(
            isinstance(b, Model | Returns | Member)
            or (isinstance(b, Text) and "." in b.dotted and not self._rules.holders.isdisjoint(b.dotted.split(".")))
            for value in values
            for b in value
        )


def _annotated_self(node: FunctionNode) -> tuple[str, ...]:
    """What a mixin says its `self` is: `def get(self: Scheduler)`."""
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    if first is None or first.annotation is None:
        return ()
    return (source_of(first.annotation).strip("'\"").rpartition(".")[2],) if first.arg == "self" else ()


def _is_property(node: FunctionNode) -> bool:
    return any(source_of(d).rpartition(".")[2] in ("property", "cached_property") for d in node.decorator_list)


def _definitions(module: ast.Module) -> tuple[list[FunctionNode], list[ast.ClassDef]]:
    functions: list[FunctionNode] = []
    classes: list[ast.ClassDef] = []
    for statement in _statements(module.body):
        if isinstance(statement, FunctionNode):
            functions.append(statement)
        elif isinstance(statement, ast.ClassDef):
            classes.append(statement)
            classes.extend(s for s in _statements(statement.body) if isinstance(s, ast.ClassDef))
    return functions, classes


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a module or class body, those inside `if`, `try` and `with` included."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.With):
            yield from _statements(statement.body)
        if isinstance(statement, ast.If):
            yield from _statements(statement.orelse)
        if isinstance(statement, ast.Try):
            yield from _statements((*statement.body, *(s for h in statement.handlers for s in h.body)))
            yield from _statements(statement.orelse)
