"""Wheels made by the tests, and installing them as pip does, without the seconds that pip takes."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path


def contents(files: Mapping[str, bytes], name: str = "sglang", version: str = "0.5.9") -> dict[str, bytes]:
    """The files of a wheel, with its metadata and its list of files."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    tags = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    every = {**files, f"{info}/METADATA": metadata, f"{info}/WHEEL": tags}
    return {**every, f"{info}/RECORD": record(every, f"{info}/RECORD", "\n")}


def record(files: Mapping[str, bytes], own: str, end: str) -> bytes:
    """A list of files with their hashes."""
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator=end)
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow((path, f"sha256={digest}", len(content)))
    rows.writerow((own, "", ""))
    return text.getvalue().encode()


def wheel(folder: Path, files: Mapping[str, bytes], name: str = "sglang", version: str = "0.5.9") -> Path:
    """A wheel as a file."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, content in contents(files, name, version).items():
            archive.writestr(inner, content)
    return path


def install(site: Path, files: Mapping[str, bytes], name: str = "sglang", version: str = "0.5.9") -> Path:
    """Install a wheel of these files into a folder; returns its metadata folder."""
    info = f"{name}-{version}.dist-info"
    every = {**contents(files, name, version), f"{info}/INSTALLER": b"pip\n"}
    del every[f"{info}/RECORD"]
    every[f"{info}/RECORD"] = record(every, f"{info}/RECORD", "\r\n")
    for path, content in every.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(content)
    return site / info
