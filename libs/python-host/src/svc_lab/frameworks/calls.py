"""How calls of a driver run, and how an emergency stop ends them.

A runner makes the functions of a device from the work of a driver, and the `_stop` of the device from the methods that stop the
instrument.
"""

from __future__ import annotations

import asyncio
import ctypes
import inspect
import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any, Callable

Work = Callable[..., Any]

PATIENCE_S = 1.0
"""How long a stop waits until the call that it ended leaves the instrument."""


class Stopped(BaseException):
    """Ends a call in its thread. No `except Exception` of a driver catches it."""


class ThreadRunner:
    """Runs the work of a driver that blocks.

    A stop raises `Stopped` in the thread of each effect, so a driver that ramps in a loop takes no further step. Python delivers it
    when the thread next executes Python code: after a wait or a transfer in progress.
    """

    def __init__(self, *, one_at_a_time: bool) -> None:
        """`one_at_a_time`: queries wait for the effect too, because the driver must not be used by two threads at once."""
        self._turn = threading.RLock() if one_at_a_time else None
        self._guard = threading.Lock()
        self._running: dict[int, bool] = {}
        """The threads of the effects in progress, and whether each was sent `Stopped`."""

    def wrap(self, name: str, work: Work, moves: bool) -> Work:
        def call(**given: Any) -> Any:
            return self._run(name, lambda: work(**given)) if moves else self._in_turn(lambda: work(**given))

        return call

    def stopper(self, stops: Sequence[Work]) -> Work:
        def stop(reason: str) -> None:
            self._interrupt()
            # A call that hangs in the instrument does not hold up the stop.
            has_turn = self._turn is not None and self._turn.acquire(timeout=PATIENCE_S)
            try:
                faults: list[str] = []
                for each in stops:
                    with _noted(each, faults):
                        each()
            finally:
                if has_turn and self._turn is not None:
                    self._turn.release()
            _raise_all(faults)

        return stop

    def _in_turn(self, work: Work) -> Any:
        if self._turn is None:
            return work()
        with self._turn:
            return work()

    def _run(self, name: str, work: Work) -> Any:
        thread = threading.get_ident()
        try:
            has_arrived = False
            with self._guard:
                self._running[thread] = False
            try:
                return self._in_turn(work)
            except Stopped:
                has_arrived = True
                raise
            finally:
                if self._leave(thread) and not has_arrived:
                    _await_stopped(thread)
        except Stopped:
            self._leave(thread)
            raise RuntimeError(f"{name} was stopped") from None

    def _leave(self, thread: int) -> bool:
        """Whether `Stopped` was sent to the thread."""
        with self._guard:
            return self._running.pop(thread, False)

    def _interrupt(self) -> None:
        with self._guard:
            for thread, was_sent in self._running.items():
                if not was_sent:
                    _raise_in(thread, Stopped)
                    self._running[thread] = True


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )


def _await_stopped(thread: int) -> None:
    """Lets an exception that is on its way arrive here, and not in the code of the host."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        time.sleep(0.001)
    _raise_in(thread, None)


class LoopRunner:
    """Runs the work of a driver that is `async`. A stop cancels the tasks of all calls."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def wrap(self, name: str, work: Work, moves: bool) -> Work:
        async def call(**given: Any) -> Any:
            task = asyncio.ensure_future(_awaited(work(**given)))
            if moves:
                self._running.add(task)
            try:
                return await task
            except asyncio.CancelledError:
                raise RuntimeError(f"{name} was stopped") from None
            finally:
                self._running.discard(task)

        return call

    def stopper(self, stops: Sequence[Work]) -> Work:
        async def stop(reason: str) -> None:
            for task in list(self._running):
                task.cancel()
            faults: list[str] = []
            for each in stops:
                with _noted(each, faults):
                    await _awaited(each())
            _raise_all(faults)

        return stop


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


@contextmanager
def _noted(stop: Work, faults: list[str]) -> Any:
    """Keeps the error of one stop, because the others must be called all the same."""
    try:
        yield
    except Exception as error:
        faults.append(f"{getattr(stop, '__name__', 'stop')}: {error}")


def _raise_all(faults: list[str]) -> None:
    if faults:
        raise RuntimeError("; ".join(faults))
