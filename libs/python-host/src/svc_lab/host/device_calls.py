"""The device calls of one task."""

from __future__ import annotations

import threading

from ..task import DeviceError, DeviceHandle, InputFile, unknown_function
from .json_values import to_json_object

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping
    from typing import Any

    from .channel import Message


class _Pending:
    """A call that waits for its answer: a thread in `wait`, or a future of the event loop in which it was made."""

    def __init__(
        self,
        device: str,
        function: str,
        future: asyncio.Future[Any] | None,
        value_of: Callable[[Any], Any] | None,
    ) -> None:
        self.device = device
        """`<lab>.<device>`."""
        self.function = function
        self.future = future
        self._value_of = value_of
        self.error: DeviceError | None = None
        self._value: Any = None
        self._answered = threading.Lock()
        self._answered.acquire()

    def settle(self, value: Any, error: DeviceError | None) -> None:
        self._value = value if error is not None or self._value_of is None else self._value_of(value)
        self.error = error
        if self.future is not None:
            self.future.get_loop().call_soon_threadsafe(self._settle_future, self.future)
        self._answered.release()

    def _settle_future(self, future: asyncio.Future[Any]) -> None:
        if future.done():
            return
        if self.error is None:
            future.set_result(self._value)
        else:
            future.set_exception(self.error)

    def wait(self) -> Any:
        self._answered.acquire()
        # Who waits later finds the answer too.
        self._answered.release()
        if self.error is not None:
            raise self.error
        return self._value


class DeviceCalls:
    def __init__(self, send: Callable[[Message], object]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._last = 0
        self._pending: dict[str, _Pending] = {}
        self._futures: set[asyncio.Future[Any]] = set()
        """Those that are not done: also of calls whose answer has come and has not reached the event loop."""
        self._refusal: tuple[str, str] | None = None
        """Code and reason, when no call may be made any more."""

    def handle(self, slot: str, device: Message, handle_class: type[DeviceHandle]) -> DeviceHandle:
        return handle_class(slot, device, self._call)

    def settle(self, call_id: str, value: Any, code: str | None = None, error: Message | None = None) -> None:
        """Takes an answer of the agent. One to a call of an earlier or aborted task finds no call."""
        with self._lock:
            call = self._pending.pop(call_id, None)
        if call is not None:
            call.settle(value, None if code is None else _failure(call, code, error or {"message": code}))

    def refuse(self, code: str, reason: str) -> None:
        """Lets all calls fail from now on, those in progress too."""
        with self._lock:
            self._refusal = (code, reason)
            calls, self._pending = list(self._pending.values()), {}
        for call in calls:
            call.settle(None, _failure(call, code, {"message": reason}))

    def left(self) -> list[_Pending]:
        """The calls in progress."""
        with self._lock:
            return list(self._pending.values())

    def futures_left(self, loop: asyncio.AbstractEventLoop) -> list[asyncio.Future[Any]]:
        """The calls made in an event loop that are in progress there."""
        with self._lock:
            return [future for future in self._futures if future.get_loop() is loop]

    def _forget(self, future: asyncio.Future[Any]) -> None:
        with self._lock:
            self._futures.discard(future)

    def _call(
        self, handle: DeviceHandle, function: str, parameters: dict[str, object], always_waits: bool = False
    ) -> Any:
        """`always_waits`: the call waits for its answer in an event loop as well."""
        known = handle._functions
        if known is not None and function not in known:
            unknown_function(handle, function, known)
        arguments = to_json_object(parameters, f"the arguments of {handle._slot}.{function}")
        message = {"type": "call", "slot": handle._slot, "function": function, "arguments": arguments}
        return self._ask(message, f"{handle.lab}.{handle.name}", function, always_waits)

    def expect_file(self, devices: Mapping[str, DeviceHandle], slot: str, pattern: str, timeout_s: float) -> Any:
        """Waits for a file of an instrument, as a call of a device waits for its answer."""
        handle = devices.get(slot)
        device = slot if handle is None else f"{handle.lab}.{handle.name}"
        message = {"type": "expect_file", "slot": slot, "pattern": pattern, "timeout_s": timeout_s}
        return self._ask(message, device, "expect_file", value_of=lambda file: InputFile(**file))

    def _ask(
        self,
        message: Message,
        device: str,
        function: str,
        always_waits: bool = False,
        value_of: Callable[[Any], Any] | None = None,
    ) -> Any:
        loop = None if always_waits else _running_loop()
        call = _Pending(device, function, None if loop is None else loop.create_future(), value_of)
        with self._lock:
            if self._refusal is not None:
                code, reason = self._refusal
                raise _failure(call, code, {"message": reason})
            self._last += 1
            call_id = str(self._last)
            self._pending[call_id] = call
            if call.future is not None:
                self._futures.add(call.future)
                call.future.add_done_callback(self._forget)
        self._send({**message, "call_id": call_id})
        return call.wait() if call.future is None else call.future


def _running_loop() -> asyncio.AbstractEventLoop | None:
    import sys

    # Code without asyncio does not load it.
    asyncio = sys.modules.get("asyncio")
    return None if asyncio is None else asyncio._get_running_loop()


def _failure(call: _Pending, code: str, error: Message) -> DeviceError:
    frames = [line for line in error.get("stack", "").split("\n") if line.startswith("    at ")]
    return DeviceError(
        f"{call.device}.{call.function}: {error['message']}",
        code=code,
        device=call.device,
        function=call.function,
        device_stack="\n".join(frames) or None,
    )
