"""Checks the bytes of a download against the record of the file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from ..errors import DamagedFile, SvcError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..models import FileRecord, ProtocolRunRecord, TaskRunRecord

# Names that an error offers.
_MOST_OFFERED = 10


class Check:
    """Counts and hashes the bytes of one download."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record
        self._hash = hashlib.sha256()
        self.size = 0

    def add(self, piece: bytes) -> None:
        self._hash.update(piece)
        self.size += len(piece)

    def end(self) -> None:
        """Raises DamagedFile unless all bytes of the record arrived unchanged."""
        if self.size != self._record["size"]:
            raise DamagedFile(self._record["name"], f"{self.size} bytes in place of {self._record['size']}")
        if self._hash.hexdigest() != self._record["sha256"]:
            raise DamagedFile(self._record["name"], "its SHA-256 differs from the record")


def files_of_run(run: ProtocolRunRecord) -> list[tuple[TaskRunRecord, FileRecord]]:
    return [(task, file) for task in run["tasks"] for file in task["output_files"]]


def choose(name: str, labels: Sequence[str]) -> int:
    """Position of the label `run/task/name` that is the name or ends with it. Raises SvcError if there is none or several."""
    fitting = [index for index, label in enumerate(labels) if f"/{label}".endswith(f"/{name}")]
    if len(fitting) == 1:
        return fitting[0]
    offered = [labels[index] for index in fitting] or list(labels)
    remedy = f"use one of {', '.join(offered[:_MOST_OFFERED])}" if offered else "no task has returned a file yet; refresh() reads again"
    raise SvcError(f"several files end with {name!r}" if fitting else f"there is no file {name!r}", remedy=remedy)
