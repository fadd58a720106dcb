"""Reads server-sent events (WHATWG HTML) from bytes that arrive in pieces."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Block:
    """One block of a stream. `data` is None for a heartbeat: everything up to `id` has arrived."""

    id: str | None
    event: str
    data: Any


class StreamParser:
    """Parser of one connection. It drops an incomplete block at the end."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._reset()

    def _reset(self) -> None:
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []
        self._is_empty = True

    def feed(self, piece: bytes) -> Iterator[Block]:
        text = self._rest + self._decoder.decode(piece)
        *lines, self._rest = text.split("\n")
        for line in lines:
            block = self._line(line[:-1] if line.endswith("\r") else line)
            if block is not None:
                yield block

    def _line(self, line: str) -> Block | None:
        if line == "":
            block = None
            if not self._is_empty:
                data = json.loads("\n".join(self._data)) if self._data else None
                block = Block(self._id, self._event, data)
            self._reset()
            return block
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            self._id = value
        elif name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        else:
            return None
        self._is_empty = False
        return None
