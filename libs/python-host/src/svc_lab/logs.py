"""The standard library's `logging`, led to the log of the service. Loaded when code first uses it."""

from __future__ import annotations

import logging

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[str, str], None]


class _ServiceHandler(logging.Handler):
    def __init__(self, write: Write) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._write(_level_of(record.levelno), self.format(record))
        except Exception:
            self.handleError(record)


def _level_of(number: int) -> str:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"


def lead_to(write: Write) -> None:
    """Sends all records of `logging` to the service from now on. Libraries log from level INFO on, authors from DEBUG."""
    root = logging.getLogger()
    if any(isinstance(handler, _ServiceHandler) for handler in root.handlers):
        return
    root.addHandler(_ServiceHandler(write))
    if root.level == logging.WARNING:
        root.setLevel(logging.INFO)
    author_log().setLevel(logging.DEBUG)


def author_log() -> logging.Logger:
    return logging.getLogger("svc_lab")
