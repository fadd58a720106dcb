# `npm run docs:reference` writes this file from svc_client/aio/files.py.
"""Files of tasks: whole in memory, or streamed to the disk, and always compared with their SHA-256."""

from __future__ import annotations

import os
from time import sleep
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from ..core.files import Check, choose, files_of_run
from ..core.requests import FIRST_PAUSE_S, Request, path_of
from ..core.shown import table_html
from ..errors import DamagedFile

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from ..models import FileRecord, ProtocolRunRecord
    from .transport import Transport

# Connections in a row that bring no byte before a download is given up.
_MOST_LOST = 5


class File:
    """A file that a task produced. It never changes."""

    def __init__(self, transport: Transport, task: str, protocol_run: str | None, record: FileRecord) -> None:
        self._transport = transport
        self.task = task
        self.protocol_run = protocol_run
        self.record = record

    @property
    def name(self) -> str:
        return self.record["name"]

    @property
    def size(self) -> int:
        """Bytes."""
        return self.record["size"]

    @property
    def sha256(self) -> str:
        return self.record["sha256"]

    @property
    def label(self) -> str:
        """`run/task/name`, or `task/name` of an on-demand task."""
        return "/".join(part for part in (self.protocol_run, self.task, self.name) if part is not None)

    def __repr__(self) -> str:
        return f"File({self.label}, {self.size} bytes)"

    def chunks(self) -> Generator[bytes, None, None]:
        """The bytes in pieces. A lost connection is resumed. Raises DamagedFile at the end if the bytes differ from the record."""
        path = path_of("/api/tasks/{}/files/{}", self.task, self.name)
        check = Check(self.record)
        tag = ""
        lost = 0
        while True:
            before = check.size
            headers = {"range": f"bytes={before}-", "if-range": tag} if before else {}
            request = Request(
                "GET",
                path,
                query={"protocol_run_name": self.protocol_run},
                headers=headers,
                accept="*/*",
                deadline_s=self._transport.deadline_s,
            )
            fault: httpx.TransportError | None = None
            try:
                with self._transport.stream(request) as response:
                    if before and response.status_code != 206:
                        raise DamagedFile(self.name, "the service sends another file than before")
                    tag = response.headers.get("etag", "")
                    for piece in response.iter_bytes():
                        check.add(piece)
                        yield piece
            except httpx.TransportError as error:
                fault = error
            if fault is None or check.size >= self.size:
                check.end()
                return
            lost = lost + 1 if check.size == before else 0
            if lost >= _MOST_LOST:
                raise DamagedFile(self.name, f"the connection was lost {lost} times") from fault
            sleep(FIRST_PAUSE_S)

    def read(self) -> bytes:
        """All bytes."""
        content = bytearray()
        for piece in self.chunks():
            content += piece
        return bytes(content)

    def text(self, encoding: str = "utf-8") -> str:
        return (self.read()).decode(encoding)

    def save(self, path: str | os.PathLike[str] = ".") -> Path:
        """Writes the file. A folder gets it under its name. A file of that path is replaced only by a complete one.

        Returns:
            The path of the file.
        """
        target = Path(path)
        if target.is_dir():
            target = target / Path(self.name).name
        part = target.with_name(f"{target.name}.part")
        try:
            with part.open("wb") as out:
                for piece in self.chunks():
                    out.write(piece)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target


class Files:
    """Files by name. If several have one name, use `task/name` or `run/task/name`."""

    def __init__(self, files: Sequence[File]) -> None:
        self._files = list(files)

    def __getitem__(self, name: str) -> File:
        return self._files[choose(name, [file.label for file in self._files])]

    def __iter__(self) -> Iterator[File]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"Files({[file.label for file in self._files]})"

    def _repr_html_(self) -> str:
        return table_html([{"file": file.label, "bytes": file.size, "sha256": file.sha256} for file in self._files])

    def save_all(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes every file to `folder/run/task/name`, or `folder/task/name` for an on-demand task."""
        saved: list[Path] = []
        for file in self._files:
            place = Path(folder).joinpath(*(_safe(part) for part in (file.protocol_run, file.task) if part is not None))
            place.mkdir(parents=True, exist_ok=True)
            saved.append(file.save(place / _safe(file.name)))
        return saved


def of_run(transport: Transport, run: ProtocolRunRecord) -> Files:
    return Files([File(transport, task["name"], run["name"], file) for task, file in files_of_run(run)])


def _safe(name: str) -> str:
    """The name without what leads to another folder."""
    return "_" if name in {".", ".."} else "".join("_" if letter in '/\\:*?"<>|\0' else letter for letter in name)
