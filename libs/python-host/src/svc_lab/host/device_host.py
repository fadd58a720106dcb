"""The process of one device.

It ends after `cleanup`, when the device cannot be initialised, and when author code fails outside a call. When the agent
is gone, it runs `_cleanup` and ends.

The main thread reads the orders of the agent and never runs author code, so that code which blocks delays neither an
emergency stop nor the end.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from functools import partial

from ..device import Allocation, BaseDevice, CallInDoubt, DeviceContext, NotBegun
from ..functions import declared_functions
from .author_error import describe_error
from .channel import Channel
from .json_values import NotJson, to_json
from .messages import TO_DEVICE, check_message, python_version
from .output import capture_output
from .package_code import PackageCode, class_in, use
from .signals import follow_signals
from .threads import OWN_PREFIX, AuthorLoop, Caller, Crew, Lane

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .channel import Message

ORPHAN_CLEANUP_S = 5.0
"""Time for `_stop` and `_cleanup` when the agent is gone."""
LONGEST_QUESTION = 1_000
"""Characters of a question to people that are kept."""
STOP_PATIENCE_S = 0.25
"""How long `_stop` waits for the event loop, and `_cleanup` for the thread of the effects, if author code blocks it."""
CLEANUP_PATIENCE_S = 1.0


_FOLLOWERS = {"allocated": "_allocated", "deallocated": "_deallocated"}
"""The hook of the author for each message about an allocation."""


class Refusal(Exception):
    """A refusal by the host, as opposed to an error of the author's code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class DeviceHost:
    def __init__(self, channel: Channel, folder: str | None) -> None:
        self._channel = channel
        self._folder = folder
        self._flush_output = capture_output(channel.log)
        self._effects = Lane(f"{OWN_PREFIX}effects")
        self._beside = Crew(f"{OWN_PREFIX}beside")
        self._ending_lane = Lane(f"{OWN_PREFIX}ending")
        self._loop = AuthorLoop(self._loop_failed)
        self._author = Caller(self._loop, self._beside)
        self._module = {"package": "", "source": ""}
        self._device: BaseDevice | None = None
        self._functions: dict[str, dict[str, Any]] = {}
        self._added: dict[str, Callable[..., Any]] = {}
        """The functions of `BaseDevice._svc_functions`, by name."""
        self._moving: set[str] = set()
        """Ids of the calls in progress that may move something."""
        self._asked: str | None = None
        """The question to people that is open."""
        self._is_initializing = False
        self._initialized = threading.Event()
        """Set when `_initialize` has ended, in whatever way."""
        self._is_ready = False
        self._is_ending = False

    def serve(self) -> None:
        self._ending_lane.start()
        threading.excepthook = lambda args: self._crash(args.exc_value, "an error was raised outside a call")
        follow_signals(
            {
                signal.SIGTERM: lambda: self._ending_lane.run(self._orphaned),
                # Ctrl-C in a terminal reaches every process of the group, but the agent decides when its devices end.
                signal.SIGINT: lambda: self._beside.run(lambda: self._channel.log("debug", "SIGINT left to the agent")),
            }
        )
        for message in self._channel.messages():
            try:
                check_message(message, TO_DEVICE)
                self._receive(message)
            except ValueError as error:
                self._channel.ignore(error)
        self._ending_lane.run(self._orphaned)
        # The process ends in another thread.
        while True:
            time.sleep(ORPHAN_CLEANUP_S)

    def _receive(self, message: Message) -> None:
        kind = message["type"]
        if kind == "init":
            if self._is_initializing:
                raise ValueError("init came twice")
            self._is_initializing = True
            self._effects.run(lambda: self._initialize(message))
        elif kind == "call":
            self._call(message)
        elif kind in _FOLLOWERS:
            self._follow(message)
        elif kind == "report":
            self._report(message["call_id"])
        elif kind == "reconcile":
            if self._device is not None:
                raise ValueError("reconcile came after the device was made")
            self._effects.run(lambda: self._reconcile(message))
        elif kind == "stop":
            self._stop(message["reason"], lambda outcome: self._channel.send({"type": "stopped", **outcome}))
        elif kind == "ping":
            self._channel.post({"type": "pong"})
        elif not self._is_ending:
            self._is_ending = True
            self._beside.run(self._clean_up)

    def _make(self, message: Message) -> Any:
        """Makes the device object once: `_reconcile` and `_initialize` run on the same object."""
        if self._device is None:
            self._module = message["module"]
            code = PackageCode(message["path"])
            use(code)
            hooks = ("_initialize", "_cleanup", "_report")
            device_class = class_in(code, self._module["source"], BaseDevice, hooks)
            device = device_class.__new__(device_class)
            device._svc_context = DeviceContext(
                message["name"], message["lab"], self._state_folder, message.get("device_type", ""), self._ask
            )
            self._lead_logs()
            self._loop.make_current()
            device._svc_start()
            self._device = device
        return self._device

    def _state_folder(self) -> str | None:
        if self._folder is not None:
            os.makedirs(self._folder, exist_ok=True)
        return self._folder

    def _ask(self, question: str | None) -> None:
        text = None if question is None else question[:LONGEST_QUESTION]
        if text == self._asked:
            return
        self._asked = text
        self._channel.send({"type": "asks", "text": text})

    def _lead_logs(self) -> None:
        """Only if the code of the author has loaded `logging`; `self.log` loads it as well."""
        if "logging" in sys.modules:
            from ..logs import lead_to

            lead_to(self._channel.log)

    def _initialize(self, message: Message) -> None:
        def done(_: object, error: BaseException | None) -> None:
            if error is None:
                error = self._declare()
            if error is None:
                self._is_ready = True
                self._channel.send(
                    {
                        "type": "ready",
                        "functions": list(self._functions.values()),
                        "can_stop": hasattr(self._device, "_stop"),
                        "version": python_version(),
                        "follows_allocations": any(_is_method(self._device, name) for name in _FOLLOWERS.values()),
                    }
                )
                self._initialized.set()
            else:
                self._channel.send({"type": "init_failed", "error": self._described(error)})
                self._end(1)

        try:
            device = self._make(message)
            declared_functions(type(device))
        except BaseException as error:
            done(None, error)
            return
        initialize: Callable[..., Any] = _hook(device, "initialize")
        self._author.call(partial(initialize, message["init_parameters"]), done, Now())

    def _declare(self) -> BaseException | None:
        """Finds the functions of the device. Some depend on what `_initialize` has found. Returns what went wrong."""
        device = self._device
        assert device is not None
        try:
            self._added = dict(device._svc_functions())
            self._functions = declared_functions(type(device), self._added)
        except Exception as error:
            return error
        return None

    def _reconcile(self, message: Message) -> None:
        def done(found: Any, error: BaseException | None) -> None:
            answer: Message = {"type": "reconciled", "supported": True, "idle": False}
            if error is None and not (isinstance(found, dict) and isinstance(found.get("idle"), bool)):
                error = TypeError(
                    '_reconcile must return {"idle": True} or {"idle": False}, with a "detail" if it likes'
                )
            if error is not None:
                answer["error"] = self._described(error)
            else:
                answer["idle"] = found["idle"]
                if found.get("detail") is not None:
                    answer["detail"] = str(found["detail"])
            self._channel.send(answer)

        try:
            device = self._make(message)
        except BaseException as error:
            done(None, error)
            return
        if not hasattr(device, "_reconcile"):
            self._channel.send({"type": "reconciled", "supported": False, "idle": False})
            return
        in_doubt = [CallInDoubt(each["call_id"], each["function"]) for each in message["in_doubt"]]
        self._author.call(partial(device._reconcile, message["init_parameters"], in_doubt), done, Now())

    def _stop(self, reason: str, told: Callable[[Message], object]) -> None:
        stop = getattr(self._device, "_stop", None)
        if stop is None:
            self._beside.run(lambda: told({"supported": False}))
            return

        def done(_: object, error: BaseException | None) -> None:
            told({"supported": True} if error is None else {"supported": True, "error": self._described(error)})

        self._author.call_urgently(partial(stop, reason), done, self._beside, STOP_PATIENCE_S)

    def _ready_device(self) -> Any:
        if not self._is_ready:
            raise Refusal("device_unavailable", "The device is not initialised")
        if self._is_ending:
            raise Refusal("device_unavailable", "The device is being shut down")
        return self._device

    def _call(self, message: Message) -> None:
        call_id, name = message["call_id"], message["function"]
        try:
            device = self._ready_device()
            declared = self._functions.get(name)
            if declared is None:
                source, known = self._module["source"], ", ".join(self._functions) or "none"
                raise Refusal("unknown_function", f"{source} declares no function {name}; it declares: {known}")
        except Refusal as refusal:
            self._refuse(call_id, refusal)
            return
        moves = declared["kind"] != "query"
        if moves:
            self._moving.add(call_id)
        allocations = device._svc_context.allocations
        if "allocation" in message:
            allocations[call_id] = Allocation(**message["allocation"])

        def done(value: object, error: BaseException | None) -> None:
            self._moving.discard(call_id)
            allocations.pop(call_id, None)
            self._answer(call_id, value, error, f"the result of {name}")

        method = self._added.get(name) or getattr(device, name)
        lane = (
            self._loop
            if device._svc_in_loop
            else self._effects
            if moves and not declared.get("beside")
            else self._beside
        )
        self._author.call(partial(method, **device._svc_take(message["arguments"])), done, lane, call_id)

    def _follow(self, message: Message) -> None:
        """Runs the hook of the author for the beginning or the end of an allocation."""
        call_id, name = message["call_id"], _FOLLOWERS[message["type"]]
        try:
            device = self._ready_device()
            hook = getattr(device, name) if _is_method(device, name) else None
        except Refusal as refusal:
            self._refuse(call_id, refusal)
            return

        def done(_: object, error: BaseException | None) -> None:
            self._answer(call_id, None, error, f"the result of {name}")

        allocation = Allocation(**message["allocation"])
        if hook is None:
            self._beside.run(lambda: done(None, None))
        else:
            lane = self._loop if device._svc_in_loop else self._beside
            self._author.call(partial(hook, allocation), done, lane)

    def _report(self, call_id: str) -> None:
        try:
            device = self._ready_device()
        except Refusal as refusal:
            self._refuse(call_id, refusal)
            return

        def done(value: object, error: BaseException | None) -> None:
            self._answer(call_id, value, error, "the result of _report")

        self._author.call(_hook(device, "report"), done, self._loop if device._svc_in_loop else self._beside)

    def _answer(self, call_id: str, value: object, error: BaseException | None, where: str) -> None:
        result: Message = {"type": "result", "call_id": call_id}
        if error is None:
            try:
                if value is not None:
                    result["value"] = to_json(self._device._svc_give(value), where)  # type: ignore[union-attr]
            except NotJson as fault:
                described = {"message": str(fault)}
                result = {"type": "failure", "call_id": call_id, "code": "device_error", "error": described}
            except Exception as failure:
                error = failure
        if error is not None:
            described = self._described(error)
            result = {"type": "failure", "call_id": call_id, "code": "device_error", "error": described}
            if isinstance(error, NotBegun):
                result["effect"] = "none"
        self._channel.send(result)

    def _refuse(self, call_id: str, refusal: Refusal) -> None:
        described = {"message": str(refusal)}
        self._channel.post({"type": "failure", "call_id": call_id, "code": refusal.code, "error": described})

    def _clean_up(self) -> None:
        if not self._is_initializing:
            self._channel.send({"type": "cleaned_up"})
            self._end(0)
        self._initialized.wait()

        def done(_: object, error: BaseException | None) -> None:
            answer: Message = {"type": "cleaned_up"}
            if error is not None:
                answer["error"] = self._described(error)
            self._flush_output()
            self._channel.send(answer)
            self._end(0 if error is None else 1)

        cleanup: Callable[..., Any] = _hook(self._device, "cleanup")
        self._author.call_urgently(cleanup, done, self._effects, CLEANUP_PATIENCE_S)

    def _orphaned(self) -> None:
        """Leaves the instrument safe because the agent is gone or ends this process.

        A process that has only run `_reconcile` does not touch the instrument.
        """
        if not self._is_initializing:
            self._end(0)
        self._beside.run(lambda: (time.sleep(ORPHAN_CLEANUP_S), self._end(1)))
        if not self._is_ending:
            self._is_ending = True
            self._beside.run(self._stop_and_clean_up)

    def _stop_and_clean_up(self) -> None:
        if self._moving:
            stopped = threading.Event()

            def told(outcome: Message) -> None:
                if "error" in outcome:
                    self._channel.log("error", f"_stop failed: {outcome['error']['stack']}")
                stopped.set()

            self._stop("the agent ends this process", told)
            stopped.wait()
        self._clean_up()

    def _loop_failed(self, error: BaseException | None, what: str) -> None:
        self._crash(error or RuntimeError(what), "an error was raised outside a call")

    def _crash(self, error: BaseException | None, what: str) -> None:
        stack = "" if error is None else self._described(error)["stack"]
        self._channel.log("error", f"the device process ends: {what}: {stack}")
        self._end(1)

    def _described(self, error: BaseException) -> dict[str, str]:
        return describe_error(error, self._module["package"])

    def _end(self, code: int) -> None:
        self._flush_output()
        self._channel.exit(code)


def _hook(device: Any, name: str) -> Any:
    """What a base class of this library makes of a method of the author, otherwise that method."""
    return getattr(device, f"_svc_{name}", None) or getattr(device, f"_{name}")


def _is_method(device: Any, name: str) -> bool:
    """Only methods count: an author may have an attribute of the same name."""
    return callable(getattr(type(device), name, None))


class Now(Lane):
    """Does work at once, in the thread that asks for it."""

    def __init__(self) -> None:
        super().__init__("")

    def run(self, work: Callable[[], object]) -> None:
        work()


def main(folder: str | None) -> None:
    DeviceHost(Channel(), folder).serve()
