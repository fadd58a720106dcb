"""The log of EOS, led to the log of the service."""

from __future__ import annotations

import enum
import logging

from ..logs import author_log

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LogLevel(enum.Enum):
    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


class Logger:
    """Takes messages as `logging` does."""

    def __init__(self) -> None:
        self.logger = author_log()

    def set_level(self, level: LogLevel | str) -> None:
        self.logger.setLevel(LogLevel(level).value)

    def debug(self, message: str, *args: Any, **options: Any) -> None:
        self._log(logging.DEBUG, message, args, options)

    def info(self, message: str, *args: Any, **options: Any) -> None:
        self._log(logging.INFO, message, args, options)

    def warning(self, message: str, *args: Any, **options: Any) -> None:
        self._log(logging.WARNING, message, args, options)

    def error(self, message: str, *args: Any, **options: Any) -> None:
        self._log(logging.ERROR, message, args, options)

    def _log(self, level: int, message: str, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.logger.log(level, message, *args, **{"stacklevel": 3, **options})


log = Logger()
