"""The process of tasks.

It sends `waiting` when it can take a task. After a task that left threads or coroutines behind, it ends; after any other
task it sends `waiting` again. It ends at once when the agent is gone.

The main thread reads the orders of the agent and never runs author code. Each task runs in a thread of its own. A task
with `isolation: thread` gets the modules of its package anew; modules of libraries stay.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from ..task import AbortSignal, BaseTask, DeviceError, InputFile, TaskContext
from .author_error import describe_error
from .channel import Channel
from .device_calls import DeviceCalls
from .json_values import NotJson
from .messages import TO_TASK, check_message, python_version
from .output import capture_output
from .package_code import PackageCode, class_in, forget, use
from .signals import follow_signals
from .task_result import CheckedResult
from .threads import OWN_PREFIX

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine
    from typing import Any

    from .channel import Message

SETTLE_S = 0.05
"""How long threads that a task left behind may take to end by themselves."""
MOST_PROBLEMS = 5
"""Greatest number of faults of a result that are named."""


class Run:
    """One task, from `run` to its outcome."""

    def __init__(self, channel: Channel, message: Message) -> None:
        self._channel = channel
        self.message = message
        self.package: str = message["module"]["package"]
        self.signal = AbortSignal()
        self.calls = DeviceCalls(channel.send)
        self.has_left = False
        """Whether coroutines go on after `_execute`."""
        self._is_over = threading.Lock()
        self._coroutine: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def end(self) -> bool:
        """Whether the caller is the first one who tells the outcome."""
        return self._is_over.acquire(blocking=False)

    def abort(self, reason: str) -> None:
        if self.signal.aborted:
            return
        self.signal._fire(reason)
        self.calls.refuse("aborted", reason)
        if self._coroutine is not None:
            loop, task = self._coroutine
            loop.call_soon_threadsafe(task.cancel)

    def execute(self, task_class: Any) -> object:
        """Runs the author's `_execute` to its end, and that of the calls that it left."""
        message = self.message
        handle_class, resource_class = task_class._svc_handle_class, task_class._svc_resource_class
        devices = {slot: self.calls.handle(slot, device, handle_class) for slot, device in message["devices"].items()}
        resources = {slot: resource_class(**resource) for slot, resource in message["resources"].items()}
        files = {slot: InputFile(**file) for slot, file in message.get("files", {}).items()}
        author = task_class.__new__(task_class)
        author._svc_context = TaskContext(
            *(self.signal, devices, message["parameters"], resources, files),
            label=message["label"],
            expect_file=lambda slot, pattern, timeout_s: self.calls.expect_file(devices, slot, pattern, timeout_s),
            spool=message["spool"],
        )
        author._svc_start()
        self.signal.raise_if_aborted()
        value = author._svc_execute()
        return self._complete(value) if hasattr(value, "__await__") else value

    def _complete(self, awaitable: Coroutine[Any, Any, object]) -> object:
        import asyncio

        async def whole() -> object:
            value = await awaitable
            # Failures of calls that nobody awaits must fail the task.
            left = self.calls.futures_left(loop)
            if left:
                self.warn_of_calls(len(left))
                await asyncio.gather(*left)
            return value

        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        failed: list[BaseException] = []
        task = loop.create_task(whole())

        def fail(_: object, context: Message) -> None:
            # Nobody awaits what has failed.
            failed.append(context.get("exception") or RuntimeError(context["message"]))
            task.cancel()

        loop.set_exception_handler(fail)
        self._coroutine = (loop, task)
        if self.signal.aborted:
            task.cancel()
        try:
            value = loop.run_until_complete(task)
        except asyncio.CancelledError:
            if failed:
                raise failed[0] from None
            raise
        finally:
            self._coroutine = None
        self.has_left = any(not each.done() for each in asyncio.all_tasks(loop))
        loop.close()
        if failed:
            raise failed[0]
        return value

    def warn_of_calls(self, count: int) -> None:
        text = f"_execute returned while {count} device calls were in progress: await every call"
        self._channel.log("warn", text)


class TaskHost:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._flush_output = capture_output(channel.log)
        self._run: Run | None = None
        self._code: tuple[str, PackageCode] | None = None

    def serve(self) -> None:
        threading.excepthook = lambda args: self._crash(args.exc_value)
        # Ctrl-C in a terminal reaches every process of the group, but the agent decides when its tasks end.
        follow_signals({signal.SIGINT: lambda: self._channel.log("debug", "SIGINT left to the agent")})
        self._channel.post({"type": "waiting", "version": python_version()})
        for message in self._channel.messages():
            try:
                check_message(message, TO_TASK)
                self._receive(message)
            except ValueError as error:
                self._channel.ignore(error)
        os._exit(1)

    def _receive(self, message: Message) -> None:
        run = self._run
        kind = message["type"]
        if kind == "run":
            if run is not None:
                raise ValueError("run came while a task is running")
            self._run = Run(self._channel, message)
            threading.Thread(target=self._serve_run, args=(self._run,), name=f"{OWN_PREFIX}task", daemon=True).start()
        elif run is None:
            return
        elif kind == "call_result":
            run.calls.settle(message["call_id"], message.get("value"))
        elif kind == "call_failure":
            run.calls.settle(message["call_id"], None, message["code"], message["error"])
        else:
            run.abort(message["reason"])

    def _serve_run(self, run: Run) -> None:
        before = {thread.ident for thread in threading.enumerate()}
        try:
            outcome = self._outcome(run)
        except BaseException as error:
            outcome = _failed(run, error)
        if not run.end():
            return
        self._flush_output()
        run.calls.refuse("task_error", "it was called after _execute had ended")
        self._run = None
        self._channel.send(outcome)
        if outcome["type"] == "completed" and not run.has_left and _left_nothing(before):
            if run.message["isolation"] == "thread":
                self._forget_code()
            self._channel.send({"type": "waiting"})
        else:
            self._channel.exit(0)

    def _outcome(self, run: Run) -> Message:
        source = run.message["module"]["source"]
        task_class = class_in(self._code_of(run.message), source, BaseTask, ("_execute",))
        self._lead_logs()
        result = CheckedResult(run.execute(task_class))
        left = run.calls.left()
        if left:
            run.warn_of_calls(len(left))
            for call in left:
                call.wait()
        written: list[dict[str, Any]] = []
        problems: list[str] = []
        if result.files:
            # Only a task with files loads the file handling, so that other tasks start sooner.
            from .spool_files import write_files

            written, problems = write_files(run.message["spool"], result.files, run.signal.raise_if_aborted)
        outcome: Message = {
            "type": "completed",
            "output_parameters": result.output_parameters,
            "output_resources": result.output_resources,
            "files": written,
        }
        found = "; ".join([*result.problems, *problems][:MOST_PROBLEMS])
        if found:
            code = "invalid_output" if result.problems else "file_error"
            outcome["problem"] = {"code": code, "message": found}
        return outcome

    def _code_of(self, message: Message) -> PackageCode:
        """The code of a task. Modules of another version of the package are forgotten."""
        known = message["module"]["hash"]
        if self._code is None or self._code[0] != known:
            self._forget_code()
            code = PackageCode(message["path"])
            use(code)
            self._code = (known, code)
        return self._code[1]

    def _forget_code(self) -> None:
        if self._code is not None:
            forget(self._code[1])
            self._code = None

    def _lead_logs(self) -> None:
        if "logging" in sys.modules:
            from ..logs import lead_to

            lead_to(self._channel.log)

    def _crash(self, error: BaseException | None) -> None:
        """Takes an error of a thread of the author, which no one awaits."""
        run = self._run
        failure = error or RuntimeError("a thread failed")
        self._flush_output()
        if run is not None and run.end():
            self._channel.send(_failed(run, failure))
        else:
            self._channel.log("error", f"failed after its task had ended: {describe_error(failure, '')['stack']}")
        self._channel.exit(1)


def _failed(run: Run, error: BaseException) -> Message:
    described = {"message": str(error)} if isinstance(error, NotJson) else describe_error(error, run.package)
    if run.signal.aborted and type(error).__name__ == "CancelledError":
        described["message"] = run.signal.reason
    return {"type": "failed", "code": _code_of(run, error), "error": described}


def _code_of(run: Run, error: BaseException) -> str:
    if run.signal.aborted:
        return "aborted"
    if isinstance(error, NotJson):
        return "invalid_output"
    return error.code if isinstance(error, DeviceError) else "task_error"


def _left_nothing(before: set[int | None]) -> bool:
    """Whether all threads that a task started have ended."""

    def more() -> bool:
        return any(
            thread.ident not in before and not thread.name.startswith(OWN_PREFIX) for thread in threading.enumerate()
        )

    if not more():
        return True
    time.sleep(SETTLE_S)
    return not more()


def main() -> None:
    TaskHost(Channel()).serve()
