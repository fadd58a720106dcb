"""What the servers of both libraries do: an instrument in memory."""

import argparse
import time
from pathlib import Path

FOLDER = Path(__file__).parent
CANCEL_XML = (FOLDER / "cancel.sila.xml").read_text(encoding="utf-8")
BENCH_XML = (FOLDER / "bench.sila.xml").read_text(encoding="utf-8")


class Blocked(Exception):
    pass


class Cancelled(Exception):
    pass


class Bench:
    def __init__(self):
        self.moves = 0
        self.position = 0
        self.running = {}

    def begin(self, execution):
        """Notes a running command. Its UUID, or a name, as a text."""
        self.moves += 1
        self.running[execution] = False

    def go_on(self, execution):
        if self.running[execution]:
            raise Cancelled("the command was cancelled")

    def end(self, execution):
        del self.running[execution]

    def cancel(self, execution):
        """Whether such a command is running."""
        is_running = execution in self.running
        if is_running:
            self.running[execution] = True
        return is_running

    def cancel_all(self):
        for execution in self.running:
            self.running[execution] = True

    def begin_move(self, to):
        if to == 13:
            self.moves += 1
            raise Blocked("the stage is blocked at 13")
        if to == 14:
            self.moves += 1
            raise RuntimeError("the stage broke")
        self.begin("move")
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


def arguments():
    """What the command line of a server says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("uuid")
    parser.add_argument("--tls", action="store_true", help="with a certificate that it makes itself")
    parser.add_argument("--key", type=bytes_of, help="file of the private key of a certificate")
    parser.add_argument("--certificate", type=bytes_of, help="file of the certificate")
    parser.add_argument("--lock", action="store_true", help="with a LockController")
    parser.add_argument("--cancel", action="store_true", help="with a CancelController")
    parser.add_argument("--discovery", action="store_true", help="announces itself on the loopback interface")
    return parser.parse_args()


def bytes_of(path):
    return Path(path).read_bytes()
