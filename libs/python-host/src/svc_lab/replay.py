"""Recordings of the traffic with an instrument, and an instrument that answers as in a recording.

`svc device record` writes the recordings. `@lab/instruments/kit` has the same for TypeScript.
"""

from __future__ import annotations

import json

# See device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any


class ReplayError(Exception):
    """Something else was sent than the recording has."""


class Turn:
    """A request of a recording, and what the instrument sent before the next one."""

    __slots__ = ("answer", "line", "request")

    def __init__(self, request: bytes, line: int) -> None:
        self.request = request
        self.answer = b""
        self.line = line
        """Number of the line in the file."""


class Recording:
    """The traffic of one device, in the order in which it happened."""

    def __init__(self, head: dict[str, Any], entries: list[dict[str, Any]]) -> None:
        self.head = head
        """The first line: `label`, the address of the instrument; `of`, the device; `at`, the time."""
        self.entries = entries
        """The other lines: `{"ms", "dir", "hex"}` or `{"ms", "event"}`."""

    def turns(self) -> list[Turn]:
        """The requests with their answers. What came before the first request is left out."""
        found: list[Turn] = []
        for index, entry in enumerate(self.entries):
            if entry.get("dir") == "out":
                found.append(Turn(bytes.fromhex(entry["hex"]), index + 2))
            elif entry.get("dir") == "in" and found:
                found[-1].answer += bytes.fromhex(entry["hex"])
        return found


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """Reads a recording. A last line that is not whole, as a crash leaves it, is passed over.

    Raises ValueError that names the line at fault, and OSError.
    """
    with open(path, encoding="utf-8") as file:
        *lines, last = file.read().split("\n")
    if last:
        try:
            json.loads(last)
            lines.append(last)
        except ValueError:
            pass
    parsed: list[Any] = []
    for number, line in enumerate(lines, 1):
        try:
            parsed.append(json.loads(line))
        except ValueError:
            raise ValueError(f"{path}:{number}: the line is no JSON") from None
    head = parsed[0] if parsed else None
    if not isinstance(head, dict) or head.get("svc_recording") != 1 or not isinstance(head.get("of"), str):
        raise ValueError(
            f'{path}:1: the file is no recording: its first line needs "svc_recording": 1, label, of and at'
        )
    for number, entry in enumerate(parsed[1:], 2):
        if not _is_entry(entry):
            raise ValueError(
                f'{path}:{number}: the line is neither traffic ({{"ms", "dir": "out" or "in", "hex"}}) nor an event ({{"ms", "event"}})'
            )
    return Recording(head, parsed[1:])


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("ms"), (int, float)):
        return False
    if entry.get("event") in ("open", "end", "close", "full"):
        return True
    if entry.get("dir") not in ("out", "in") or not isinstance(entry.get("hex"), str):
        return False
    try:
        return len(bytes.fromhex(entry["hex"])) > 0
    except ValueError:
        return False


class Replay:
    """An instrument that answers as in a recording, with the methods of a serial port.

    Strict: everything must be sent as recorded, byte by byte and in order. Otherwise a request gets the answer that it got
    in the recording, in any order: the next one that was not given yet, else the last one.
    """

    def __init__(self, recording: Recording, strict: bool = False) -> None:
        self._turns = recording.turns()
        self._strict = strict
        self._at = 0
        self._sent = 0
        """Bytes of the next turn that were sent."""
        self._given: dict[bytes, int] = {}
        """How many answers each request got."""
        self._incoming = b""

    @property
    def left(self) -> int:
        """Requests of the recording that nobody has sent, if strict."""
        return len(self._turns) - self._at

    @property
    def in_waiting(self) -> int:
        """Bytes that can be read."""
        return len(self._incoming)

    def write(self, data: bytes) -> int:
        """Sends bytes to the instrument. Raises ReplayError if strict and the recording has something else."""
        if self._strict:
            self._compare(bytes(data))
            return len(data)
        same = [turn for turn in self._turns if turn.request == bytes(data)]
        if same:
            given = self._given.get(bytes(data), 0)
            self._given[bytes(data)] = given + 1
            self._incoming += same[min(given, len(same) - 1)].answer
        return len(data)

    def read(self, size: int | None = None) -> bytes:
        """Returns bytes that the instrument has sent: at most `size`, or all."""
        end = len(self._incoming) if size is None else size
        data, self._incoming = self._incoming[:end], self._incoming[end:]
        return data

    def readline(self, terminator: bytes = b"\n") -> bytes:
        """Returns the bytes up to the terminator, with it; without one, all bytes, as after a timeout."""
        place = self._incoming.find(terminator)
        return self.read(None if place < 0 else place + len(terminator))

    def _compare(self, data: bytes) -> None:
        rest = data
        while rest:
            if self._at == len(self._turns):
                raise ReplayError(f"the recording is over, but {rest!r} was sent")
            turn = self._turns[self._at]
            wanted = turn.request[self._sent : self._sent + len(rest)]
            if not rest.startswith(wanted):
                raise ReplayError(f"line {turn.line} of the recording sends {turn.request!r}, but {data!r} was sent")
            rest = rest[len(wanted) :]
            self._sent += len(wanted)
            if self._sent == len(turn.request):
                self._at += 1
                self._sent = 0
                self._incoming += turn.answer
