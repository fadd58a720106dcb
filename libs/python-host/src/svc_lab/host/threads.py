"""The threads of a host. All are daemons, so that none of them keeps the process from its end."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from queue import SimpleQueue

from ..functions import CALL_ID

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any, Optional

    Work = Callable[[], object]
    Done = Callable[[Any, Optional[BaseException]], object]

OWN_PREFIX = "svc-"
"""Names of threads of the host begin so, and those of the author do not."""
_CODE_OF_COROUTINE = 0x80


class Lane:
    """One thread that does work in the order of its arrival. The first work starts it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Work] | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Work) -> None:
        if self._work is None:
            self.start()
        self._work.put(work)  # type: ignore[union-attr]

    def start(self) -> None:
        """Starts the thread ahead. From then on several threads may call `run` at once."""
        self._work = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, args=(self._work,), name=self._name, daemon=True)
        self._thread.start()

    def is_current(self) -> bool:
        return threading.current_thread() is self._thread

    @staticmethod
    def _serve(work: SimpleQueue[Work]) -> None:
        while True:
            work.get()()


class Crew:
    """Threads for work that must not wait for other work. An idle thread is used again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: deque[Lane] = deque()

    def run(self, work: Work) -> None:
        try:
            lane = self._idle.pop()
        except IndexError:
            lane = Lane(self._name)

        def work_and_return() -> None:
            try:
                work()
            finally:
                self._idle.append(lane)

        lane.run(work_and_return)


class Once:
    """Decides which of several threads does something."""

    def __init__(self) -> None:
        self._free = threading.Lock()

    def take(self) -> bool:
        """Whether the caller is the first one."""
        return self._free.acquire(blocking=False)


class AuthorLoop:
    """The event loop of the author's coroutines, in a thread of its own. The first coroutine starts it."""

    def __init__(self, failed: Callable[[BaseException | None, str], object]) -> None:
        """`failed` takes an error that no code of the author awaits, and what asyncio says about it."""
        self._failed = failed
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Work) -> None:
        """Does work in the thread of the loop, soon."""
        self._started().call_soon_threadsafe(work)

    def make_current(self) -> None:
        """Lets what the calling thread makes of asyncio belong to this loop, as an `asyncio.Event` before Python 3.10."""
        asyncio = sys.modules.get("asyncio")
        if asyncio is not None:
            asyncio.set_event_loop(self._started())

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            return self._loop or self._start()

    def _start(self) -> asyncio.AbstractEventLoop:
        import asyncio

        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda _, context: self._failed(context.get("exception"), context["message"]))

        def serve() -> None:
            asyncio.set_event_loop(loop)
            loop.run_forever()

        threading.Thread(target=serve, name=f"{OWN_PREFIX}loop", daemon=True).start()
        self._loop = loop
        return loop


class Caller:
    """Runs functions of the author, plain ones in lanes and coroutines in the loop, and tells how each ended.

    `done` gets the result, or the error. It is called once, in the thread in which the function ended.
    """

    def __init__(self, loop: AuthorLoop, crew: Crew) -> None:
        self._loop = loop
        self._crew = crew

    def call(
        self, function: Callable[[], Any], done: Done, lane: Lane | Crew | AuthorLoop, call_id: str | None = None
    ) -> None:
        """`call_id` is the call that the function serves; None: it serves none."""
        if is_coroutine_function(function):
            self._loop.run(lambda: self._begin(function, done, call_id))
        else:
            lane.run(lambda: self._call(function, done, call_id))

    def call_urgently(self, function: Callable[[], Any], done: Done, lane: Lane | Crew, patience_s: float) -> None:
        """As `call`. If the lane or the loop is blocked for the time of `patience_s`, another thread runs the function."""
        once = Once()

        def first(run: Callable[[], Any]) -> Work:
            return lambda: run() if once.take() else None

        if is_coroutine_function(function):
            self._loop.run(first(lambda: self._begin(function, done)))
        else:
            lane.run(first(lambda: self._call(function, done)))

        def run_here() -> None:
            time.sleep(patience_s)
            if once.take():
                self._call(lambda: run_in_own_loop(function) if is_coroutine_function(function) else function(), done)

        self._crew.run(run_here)

    def _call(self, function: Callable[[], Any], done: Done, call_id: str | None = None) -> None:
        CALL_ID.set(call_id)
        try:
            value = function()
        except BaseException as error:
            done(None, error)
            return
        if hasattr(value, "__await__"):
            self._loop.run(lambda: self._begin(lambda: value, done, call_id))
        else:
            done(value, None)

    def _begin(self, function: Callable[[], Any], done: Done, call_id: str | None = None) -> None:
        import asyncio

        async def run() -> None:
            CALL_ID.set(call_id)
            try:
                value = await function()
            except BaseException as error:
                # Also SystemExit, which would end the loop.
                done(None, error)
            else:
                done(value, None)

        task = asyncio.ensure_future(run())
        # The loop keeps no strong reference to its tasks.
        _running.add(task)
        task.add_done_callback(_running.discard)


_running: set[asyncio.Future[None]] = set()


def run_in_own_loop(function: Callable[[], Any]) -> Any:
    import asyncio

    return asyncio.run(function())


def is_coroutine_function(function: Any) -> bool:
    """As in `inspect`, which takes 10 ms to import. A coroutine behind a plain function shows when it is called."""
    bound = getattr(function, "func", function)
    code = getattr(getattr(bound, "__func__", bound), "__code__", None)
    return code is not None and bool(code.co_flags & _CODE_OF_COROUTINE)
