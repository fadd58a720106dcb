"""The host's side of the channel to its agent: JSON messages in UTF-8, one per line, over two pipes."""

from __future__ import annotations

import json
import os
import sys
import threading

from .threads import Lane

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

    Message = dict[str, Any]

TO_HOST = 3
"""The descriptor of the pipe with the orders of the agent. Its end means that the agent is gone."""
FROM_HOST = 4
LONGEST_LOG = 16_384
"""Longest log message in characters. A longer one is cut, with a note."""
FLUSH_LIMIT_S = 1.0
"""How long the end of the process waits for messages that are being sent."""
_PIECE = 65_536

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class Channel:
    """Sends from any thread, in whole lines. The thread that reads must never wait for the agent to read: it posts."""

    def __init__(self) -> None:
        for descriptor in (TO_HOST, FROM_HOST):
            try:
                # A program that author code starts must not hold the channel open.
                os.set_inheritable(descriptor, False)
            except OSError:
                sys.exit(
                    f"A host talks to its agent over pipes at the descriptors {TO_HOST} and {FROM_HOST}, "
                    f"and {descriptor} is none: an agent must start this program"
                )
        self._sending = threading.Lock()
        self._is_open = True
        self._posted = Lane("svc-answers")
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_to_parent)

    def messages(self) -> Iterator[Message]:
        """The orders of the agent, until it is gone. One that is not in the protocol is logged and left out."""
        for line in self._lines():
            try:
                message = json.loads(line)
                if not isinstance(message, dict) or not isinstance(message.get("type"), str):
                    raise ValueError("A message from the parent is not an object with a type")
            except ValueError as error:
                self.ignore(error)
                continue
            yield message

    def send(self, message: Message) -> None:
        """Sends, and waits while the agent does not read."""
        try:
            line = f"{_encode(message)}\n".encode()
        except UnicodeEncodeError:
            # Half a surrogate pair, which UTF-8 cannot carry and an escape can.
            line = f"{_encode_ascii(message)}\n".encode()
        with self._sending:
            if not self._is_open:
                return
            try:
                sent = os.write(FROM_HOST, line)
                while sent < len(line):
                    sent += os.write(FROM_HOST, line[sent : sent + _PIECE])
            except OSError:
                # The agent is gone, which the end of its orders reports.
                self._is_open = False

    def post(self, message: Message) -> None:
        """Sends soon, in another thread."""
        self._posted.run(lambda: self.send(message))

    def log(self, level: str, text: str) -> None:
        self.send(_log(level, text))

    def ignore(self, error: Exception) -> None:
        """Logs that an order was not understood."""
        self.post(_log("error", f"message ignored: {error}"))

    def exit(self, code: int) -> NoReturn:
        """Ends the process when all messages have left it, at most one second later. Threads of the author end with it."""
        if not self._posted.is_current():
            flushed = threading.Event()
            self._posted.run(flushed.set)
            flushed.wait(FLUSH_LIMIT_S)
        # A thread that sends holds the lock; nothing is sent after this.
        self._sending.acquire(timeout=FLUSH_LIMIT_S)
        os._exit(code)

    def _lines(self) -> Iterator[bytes]:
        pieces: list[bytes] = []
        while True:
            try:
                piece = os.read(TO_HOST, _PIECE)
            except OSError:
                piece = b""
            if not piece:
                return
            first, *rest = piece.split(b"\n")
            pieces.append(first)
            for next_line in rest:
                yield b"".join(pieces)
                pieces = [next_line]

    def _leave_to_parent(self) -> None:
        """A forked child of author code must not speak for the host."""
        self._sending = threading.Lock()
        self._is_open = False


def _log(level: str, text: str) -> Message:
    if len(text) > LONGEST_LOG:
        text = f"{text[:LONGEST_LOG]}… ({len(text) - LONGEST_LOG} characters more)"
    return {"type": "log", "level": level, "text": text}
