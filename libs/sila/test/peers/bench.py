"""What the servers of both libraries do: an instrument in memory."""

import time
from pathlib import Path

FOLDER = Path(__file__).parent
BENCH_XML = (FOLDER / "bench.sila.xml").read_text(encoding="utf-8")


class Blocked(Exception):
    pass


class Bench:
    def __init__(self):
        self.moves = 0
        self.position = 0

    def begin_move(self, to):
        self.moves += 1
        if to == 13:
            raise Blocked("the stage is blocked at 13")
        if to == 14:
            raise RuntimeError("the stage broke")
        self.position = to


class Lock:
    """A lock with a time limit. Whether use renews it depends on the library."""

    def __init__(self):
        self.identifier = None
        self._used_at = 0.0
        self._timeout_s = 0.0

    @property
    def is_locked(self):
        if self.identifier is not None and time.monotonic() - self._used_at > self._timeout_s:
            self.identifier = None
        return self.identifier is not None

    def take(self, identifier, timeout_s):
        self.identifier, self._timeout_s = identifier, timeout_s
        self.use()

    def use(self):
        self._used_at = time.monotonic()
