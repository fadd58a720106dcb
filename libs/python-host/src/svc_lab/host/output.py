"""Printed text as log messages.

What C libraries write to the descriptors 1 and 2 goes to the pipes of the agent, which logs it as well.
"""

from __future__ import annotations

import io
import os
import sys
import threading

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[str, str], None]

LONGEST_REST = 8_192
"""Longest part of an unfinished line that is kept, in characters. Without a limit, progress dots would pile up."""


class _LineStream(io.TextIOBase):
    """A text stream whose lines become log messages, in order with all other messages of the host."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, descriptor: int, level: str, write: Write) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._level = level
        self._write = write
        # Reentrant: the garbage collector may run code of the author that prints, inside of `write`.
        self._lock = threading.RLock()
        self._rest = ""
        self.buffer = _ByteStream(self)

    def write(self, text: str) -> int:
        with self._lock:
            *lines, self._rest = (self._rest + text).split("\n")
            for line in lines:
                self._write(self._level, line)
            if len(self._rest) > LONGEST_REST:
                self.end_line()
        return len(text)

    def end_line(self) -> None:
        """Sends the unfinished line."""
        with self._lock:
            rest, self._rest = self._rest, ""
        if rest:
            self._write(self._level, rest)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor


class _ByteStream(io.RawIOBase):
    """What programs write to `sys.stdout.buffer`."""

    def __init__(self, stream: _LineStream) -> None:
        super().__init__()
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        content = bytes(data)
        self._stream.write(content.decode("utf-8", "backslashreplace"))
        return len(content)


def capture_output(write: Write) -> Callable[[], None]:
    """Turns printed text into log messages from now on: standard output as `info`, standard error as `error`.

    Returns a function that sends the unfinished lines; call it before the process ends.
    """
    streams = (_LineStream(1, "info", write), _LineStream(2, "error", write))
    sys.stdout, sys.stderr = streams
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_leave_to_parent)

    def flush() -> None:
        for stream in streams:
            stream.end_line()

    return flush


def _leave_to_parent() -> None:
    """A forked child of author code prints to the pipes of the agent."""
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
