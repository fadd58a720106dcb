"""Recordings of the traffic with an instrument, and an instrument that answers as in a recording.

`svc device record` writes the recordings. `@lab/instruments/kit` has the same for TypeScript. `Replay` answers bytes (serial ports, SCPI,
Modbus), and `MessageReplay` answers messages (HTTP, MQTT, OPC UA, SiLA, and nodes of MADSci, Opentrons and EOS). In these, `{call_id}` stands for the
id of the call that made the request.
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


class RecordedError(Exception):
    """A request failed, as it did in the recording."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error
        """What the recording has of it: `message`, and what the protocol needs to tell it from other errors."""


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
        """The other lines: `{"ms", "dir", "hex"}`, `{"ms", "dir", "exchange", "message"}`, the same with `error`, or `{"ms", "event"}`."""

    @property
    def has_messages(self) -> bool:
        """Whether the instrument answers messages. Otherwise it answers bytes."""
        return any("message" in entry or "error" in entry for entry in self.entries)

    def requests(self) -> list[dict[str, Any]]:
        """The requests with messages, in their order."""
        return [entry["message"] for entry in self.entries if _is_request(entry)]

    def turns(self) -> list[Turn]:
        """The requests with their answers. What came before the first request is left out."""
        found: list[Turn] = []
        for index, entry in enumerate(self.entries):
            if "hex" not in entry:
                continue
            if entry["dir"] == "out":
                found.append(Turn(bytes.fromhex(entry["hex"]), index + 2))
            elif found:
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
                f'{path}:{number}: the line is neither traffic ({{"ms", "dir": "out" or "in", and "hex", or "message" with "exchange"}})'
                ' nor an event ({"ms", "event"})'
            )
    return Recording(head, parsed[1:])


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("ms"), (int, float)):
        return False
    if entry.get("event") in ("open", "end", "close", "full"):
        return True
    if entry.get("dir") not in ("out", "in"):
        return False
    if isinstance(entry.get("message"), dict):
        return _is_exchange(entry.get("exchange")) or "exchange" not in entry
    if isinstance(entry.get("error"), dict):
        is_told = isinstance(entry["error"].get("message"), str)
        return is_told and entry["dir"] == "in" and _is_exchange(entry.get("exchange"))
    if not isinstance(entry.get("hex"), str):
        return False
    try:
        return len(bytes.fromhex(entry["hex"])) > 0
    except ValueError:
        return False


def _is_exchange(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


class Replay:
    """An instrument that answers bytes as in a recording, with the methods of a serial port.

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


class MessageReplay:
    """An instrument that answers messages as in a recording.

    Strict: the requests must come as recorded and in the order of the recording. Otherwise they may come in any order, and a request
    that was made before gets its last answer again.
    """

    def __init__(self, recording: Recording, strict: bool = False) -> None:
        self._entries = recording.entries
        self._strict = strict
        self._requests = [index for index, entry in enumerate(self._entries) if _is_request(entry)]
        self._made: list[int] = []
        self._said: set[int] = set()
        self.heard: list[dict[str, Any]] = []
        """What the instrument has said by itself so far."""
        self._hear(-1)

    @property
    def left(self) -> int:
        """Requests of the recording that nobody has made."""
        return len(self._requests) - len(set(self._made))

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Makes a request and returns its answer: of a stream, the first one.

        Raises RecordedError if the request failed in the recording, and ReplayError if the recording does not have it, or ends before
        its answer.
        """
        index, answers, error = self._turn(request)
        if answers:
            return answers[0]
        if error is not None:
            raise RecordedError(error)
        raise ReplayError(f"the recording has no answer to its line {index + 2}")

    def ask_all(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Makes a request and returns all answers of its stream.

        Raises RecordedError if the stream ended with an error in the recording, and ReplayError if the recording does not have the
        request.
        """
        _, answers, error = self._turn(request)
        if error is not None:
            raise RecordedError(error)
        return answers

    def _turn(self, request: dict[str, Any]) -> tuple[int, list[dict[str, Any]], dict[str, Any] | None]:
        index = self._find(request)
        self._made.append(index)
        exchange = self._entries[index].get("exchange")
        came = [e for e in self._entries[index + 1 :] if e.get("dir") == "in" and e.get("exchange") == exchange]
        self._hear(index)
        errors = [entry["error"] for entry in came if "error" in entry]
        return index, [entry["message"] for entry in came if "message" in entry], errors[-1] if errors else None

    def _find(self, request: dict[str, Any]) -> int:
        waiting = [index for index in self._requests if index not in self._made]
        again = [] if self._strict else self._made[::-1]
        for index in [*(waiting[:1] if self._strict else waiting), *again]:
            if _same(self._entries[index]["message"], request):
                return index
        expected = "has no further request"
        if waiting:
            expected = f"has at line {waiting[0] + 2} {json.dumps(self._entries[waiting[0]]['message'])[:200]}"
        raise ReplayError(f"the recording {expected}, but {json.dumps(request)[:200]} was asked")

    def _hear(self, after: int) -> None:
        """Hears what came after a request and before the next one, once."""
        for index in range(after + 1, len(self._entries)):
            entry = self._entries[index]
            if _is_request(entry):
                return
            if "message" in entry and "exchange" not in entry and index not in self._said:
                self._said.add(index)
                self.heard.append(entry["message"])


def _is_request(entry: dict[str, Any]) -> bool:
    return "message" in entry and entry["dir"] == "out"


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal. For Python, true would be equal to 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
