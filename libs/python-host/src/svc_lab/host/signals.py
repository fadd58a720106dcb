"""Signals of the operating system, taken in a thread of their own."""

from __future__ import annotations

import os
import signal
import threading

from .threads import OWN_PREFIX

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PIECE = 64


def follow_signals(works: Mapping[int, Callable[[], object]]) -> None:
    """Does the work of a signal whenever the signal comes. Call it once, in the main thread. Works run one after the other.

    A handler in Python runs in the main thread, between two instructions. A signal that comes just before the main thread
    waits in a system call does not interrupt this call. Its handler would run only after the next order of the agent. So
    another thread reads the byte that the interpreter writes as soon as a signal comes.
    """
    from_interpreter, to_thread = os.pipe()
    if os.name != "nt":
        os.set_blocking(to_thread, False)
    signal.set_wakeup_fd(to_thread, warn_on_full_buffer=False)
    for number in works:
        # Without a handler in Python the interpreter writes no byte.
        signal.signal(number, lambda *_: None)
    if hasattr(os, "register_at_fork"):
        _keep_from_children(works)

    def serve() -> None:
        while True:
            for number in os.read(from_interpreter, _PIECE):
                # The main thread of an optimizer runs author code, which may take other signals.
                work = works.get(number)
                if work is not None:
                    work()

    threading.Thread(target=serve, name=f"{OWN_PREFIX}signals", daemon=True).start()


def _keep_from_children(works: Mapping[int, object]) -> None:
    """Keeps the signals to a forked child of author code from the host. SIGTERM ends the child, and SIGINT does not."""
    forking = threading.local()

    def begin() -> None:
        # The child has the pipe of the host until `leave`. A signal to the child would be written to it.
        forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, works.keys())

    def end() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, forking.mask)

    def leave() -> None:
        signal.set_wakeup_fd(-1)
        if signal.SIGTERM in works:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        end()

    os.register_at_fork(before=begin, after_in_parent=end, after_in_child=leave)
