"""What the process of an optimizer asks its worker for, while it answers a request."""

from __future__ import annotations

import itertools
from queue import SimpleQueue

from ..domain import Invalid

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .channel import Channel, Message


class WorkerCalls:
    """Calls what the worker lends. An optimizer with a method `connect` gets this object once, when its overrides are set."""

    def __init__(self, channel: Channel) -> None:
        self.protocol = ""
        """What the protocol of the campaign does, in words."""
        self._channel = channel
        self._numbers = itertools.count(1)
        self._waiting: dict[str, SimpleQueue[Message]] = {}

    def call(self, function: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Waits for the worker. Call it in any thread but the one that reads.

        Raises `Invalid` when the arguments do not fit, and RuntimeError with the message of the worker when the call fails.
        """
        call_id = str(next(self._numbers))
        answers: SimpleQueue[Message] = SimpleQueue()
        self._waiting[call_id] = answers
        self._channel.send({"type": "call", "call_id": call_id, "function": function, "arguments": arguments})
        answer = answers.get()
        if answer["type"] == "call_result":
            return answer["value"]
        message = str(answer["error"].get("message"))
        if answer["code"] == "invalid":
            raise Invalid(message, answer.get("faults") or [])
        raise RuntimeError(message)

    def settle(self, message: Message) -> bool:
        """Whether a message is an answer, which it then gives to the call that waits for it."""
        if message["type"] not in ("call_result", "call_failure"):
            return False
        answers = self._waiting.pop(message["call_id"], None)
        if answers is not None:
            answers.put(message)
        return True
