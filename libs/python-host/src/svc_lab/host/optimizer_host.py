"""The process of the optimizer of one campaign. It answers each order of its worker in turn, and ends when the worker is gone.

The main thread runs author code, because libraries expect it there. Another thread reads the orders, so that a lost worker ends
the process also while author code computes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from queue import SimpleQueue

from ..domain import Invalid
from .author_error import describe_error
from .channel import Channel
from .concealment import Concealment
from .json_values import NotJson
from .messages import TO_OPTIMIZER, check_message, python_version
from .output import capture_output
from .signals import follow_signals
from .threads import OWN_PREFIX
from .worker_calls import WorkerCalls

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable
    from typing import Any

    from .channel import Message
    from .optimizer_session import OptimizerSession


class OptimizerHost:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._concealment = Concealment(os.environ)
        self._flush_output = capture_output(self._log)
        self._orders: SimpleQueue[Message] = SimpleQueue()
        self._package = ""
        self._session: OptimizerSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker = WorkerCalls(channel)

    def serve(self) -> None:
        threading.excepthook = lambda args: self._crash(args.exc_value, "an error was raised outside a call")
        # Ctrl-C in a terminal reaches every process of the group, but the worker decides when its optimizers end.
        follow_signals({signal.SIGINT: lambda: self._log("debug", "SIGINT left to the worker")})
        threading.Thread(target=self._read, name=f"{OWN_PREFIX}orders", daemon=True).start()
        while True:
            order = self._orders.get()
            # The answer frees the memory of the order before the next one comes.
            self._channel.send(self._answer(order))

    def _read(self) -> None:
        for message in self._channel.messages():
            try:
                check_message(message, TO_OPTIMIZER)
                if not self._worker.settle(message):
                    self._orders.put(message)
            except ValueError as error:
                self._channel.ignore(error)
        os._exit(0)

    def _answer(self, order: Message) -> Message:
        call_id = order["call_id"]
        try:
            value = self._perform(order)
            answer = {"type": "result", "call_id": call_id, "value": value, "version": python_version()}
        except SystemExit as error:
            # By its exit code the worker tells people what has happened.
            self._flush_output()
            self._channel.exit(error.code if isinstance(error.code, int) else 1)
        except BaseException as error:
            answer = {"type": "failure", "call_id": call_id, **self._failure(error)}
        self._flush_output()
        return self._concealment.value(answer)

    def _perform(self, order: Message) -> dict[str, Any]:
        kind = order["type"]
        if kind == "make":
            return self._make(order)
        session = self._session
        if session is None:
            raise RuntimeError("the optimizer was not made")
        if kind == "tell":
            return {"measured": session.tell(order["trials"])}
        if kind == "propose":
            return session.propose(order["runs"], order["insights"])
        if kind == "configure":
            return {"runtime_params": session.configure(order["runtime_params"])}
        return {"rows": session.best()} if kind == "best" else {"belief": session.explain()}

    def _make(self, order: Message) -> dict[str, Any]:
        from .author_optimizer import make_optimizer
        from .optimizer_session import OptimizerSession
        from .package_code import PackageCode, use

        if self._session is not None:
            raise RuntimeError("make came twice")
        module = order["module"]
        self._package = module["package"]
        self._concealment.learn(order["overrides"])
        code = PackageCode(order["path"])
        use(code)
        self._lead_logs()
        self._worker.protocol = order["protocol"]
        integers = order.get("integers") or []
        source, overrides = module["source"], order["overrides"]
        made = make_optimizer(code, source, overrides, integers, self._complete, worker=self._worker)
        self._lead_logs()
        optimizer = made.optimizer
        self._concealment.learn(made.arguments)
        known = optimizer.runtime_params()
        kept = {key: value for key, value in order["runtime_params"].items() if key in known}
        if kept:
            optimizer.set_runtime_params(kept)
        inputs, outputs = optimizer.names("get_input_names"), optimizer.names("get_output_names")
        additional = optimizer.names("get_additional_names") if optimizer.has("get_additional_names") else []
        session = OptimizerSession(optimizer, inputs, outputs, lambda text: self._log("warn", text))
        self._session = session
        if order.get("given") is not None:
            session.refuse_foreign_rows(order["given"])
        return {
            "input_names": inputs,
            "output_names": outputs,
            "additional_names": additional,
            "fields": made.fields,
            "runtime_params": optimizer.runtime_params(),
            "arguments": made.arguments,
        }

    def _complete(self, value: Any) -> Any:
        """What a method returned; of a coroutine its result."""
        return self._run(value) if hasattr(value, "__await__") else value

    def _run(self, awaitable: Awaitable[Any]) -> Any:
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
            self._loop.set_exception_handler(
                lambda _, context: self._crash(context.get("exception"), f"nobody awaits it: {context['message']}")
            )

        async def whole() -> Any:
            return await awaitable

        return self._loop.run_until_complete(whole())

    def _lead_logs(self) -> None:
        """Libraries that the author imports may load `logging`."""
        if "logging" in sys.modules:
            from ..logs import lead_to

            lead_to(self._log)

    def _failure(self, error: BaseException) -> dict[str, Any]:
        if isinstance(error, Invalid):
            keys = ("path", "code", "message", "hint")
            faults = [{key: each[key] for key in keys if key in each} for each in error.faults]
            return {"code": "invalid", "error": {"message": str(error)}, "faults": faults}
        described = {"message": str(error)} if isinstance(error, NotJson) else describe_error(error, self._package)
        return {"code": "optimizer_error", "error": described, "faults": []}

    def _log(self, level: str, text: str) -> None:
        self._channel.log(level, self._concealment.text(text))

    def _crash(self, error: BaseException | None, what: str) -> None:
        stack = "" if error is None else describe_error(error, self._package)["stack"]
        self._log("error", f"the process of the optimizer ends: {what}: {stack}")
        self._flush_output()
        self._channel.exit(1)


def main() -> None:
    OptimizerHost(Channel()).serve()
