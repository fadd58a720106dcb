"""The base class of devices."""

from __future__ import annotations

import types

from .functions import CALL_ID

# `typing` takes 5 ms of the start of a host, so only type checkers import it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from logging import Logger
    from typing import Any


class NotBegun(Exception):
    """Raise it from a device function that certainly changed nothing, for example because the instrument is not connected.

    The call is then recorded as `not_begun`, and the service knows that its effect is `none`. Any other error of an effect
    leaves open whether the effect happened.
    """


class CallInDoubt:
    """A call that began and has no known end."""

    __slots__ = ("call_id", "function")

    def __init__(self, call_id: str, function: str) -> None:
        self.call_id = call_id
        """The value of `self.call_id` during that call."""
        self.function = function
        """Name of the function."""


class Allocation:
    """The time in which a task has a device."""

    __slots__ = ("attempt_id", "fence")

    def __init__(self, attempt_id: str, fence: int) -> None:
        self.attempt_id = attempt_id
        """Id of the attempt of the task."""
        self.fence = fence
        """It is higher than the fence of every earlier allocation of the device."""


class DeviceContext:
    """What a host gives to its device."""

    __slots__ = ("allocations", "ask", "folder", "lab", "name", "type")

    def __init__(
        self,
        name: str,
        lab: str,
        folder: Callable[[], str | None],
        type: str,
        ask: Callable[[str | None], None] = lambda _: None,
    ) -> None:
        self.allocations: dict[str, Allocation] = {}
        """The allocations of the calls of tasks in progress, by the ids of the calls."""
        self.name = name
        self.lab = lab
        self.folder = folder
        self.type = type
        self.ask = ask


class BaseDevice:
    """A device of a laboratory. Extend it once per device type, in `devices/<type>/device.py`.

    Each device of a lab is one object in its own process, which lives as long as the lab is loaded. Its methods are
    plain or `async`. Tasks can call every method that the class itself defines and whose name does not begin with `_`.
    A method without a decorator is an effect: the service never repeats a call, and runs one at a time.

    Plain methods run in one thread that never changes, except for queries and `_report`, which run beside an effect in
    other threads. All `async` methods run in one event loop.

    Five more methods are optional. `_svc_functions` adds functions that the class does not define.

    `_stop(self, reason: str)` stops the instrument safely and at once. It runs beside every other method, in a thread of
    its own (or in the event loop, if it is `async`), and has 5 seconds. The stopped call must then end within 5 more
    seconds.

    `_allocated(self, allocation: Allocation)` prepares the instrument for a task: locks it, or turns a light on. It runs before
    the first call of the task, and again if the process has started anew since. It has 60 seconds. If it raises, the call of
    the task fails, and the next call tries again. `_deallocated(self, allocation: Allocation)` takes that back when the task has
    ended. It does not come if the process, its agent or the computer of the task ends before, so whatever must not last for
    ever needs a time limit of its own. Plain methods run beside an effect, as queries do.

    `_reconcile(self, parameters: dict, in_doubt: list[CallInDoubt]) -> dict` runs in a new process before `_initialize`,
    when an earlier process ended in the middle of an effect. It returns `{"idle": True}` if nothing moves and the state
    is known, else `{"idle": False, "detail": "..."}`. It has 30 seconds and must not move anything.
    """

    _svc_context: DeviceContext | None = None
    _svc_in_loop = False
    """Whether the event loop runs the plain methods too."""
    _svc_timeout_s: float | None = None
    """Longest duration of an effect that declares none; None: the setting of the agent."""
    _svc_by_position = False
    """Whether callers may give parameters without their names."""

    def _svc_start(self) -> None:
        """Runs the constructor of the author."""
        self.__init__()  # type: ignore[misc]

    @classmethod
    def _svc_methods(cls) -> dict[str, Any]:
        """The members of the class that callers may call, by name."""
        return {
            name: member
            for name, member in vars(cls).items()
            if isinstance(member, types.FunctionType) and not name.startswith("_")
        }

    def _svc_take(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call as the author gets them."""
        return arguments

    def _svc_give(self, value: object) -> object:
        """A result of the author as the caller gets it."""
        return value

    @property
    def name(self) -> str:
        """Name of this device in its lab. Available from `_initialize` on."""
        return type(self).__name__ if self._svc_context is None else self._svc_context.name

    @property
    def lab(self) -> str:
        """Name of the lab. Available from `_initialize` on."""
        return "no_lab" if self._svc_context is None else self._svc_context.lab

    @property
    def log(self) -> Logger:
        """The log of the service. Printed text and all of `logging` go there too."""
        from .logs import author_log

        return author_log()

    @property
    def state_folder(self) -> str | None:
        """Absolute path of a folder for what must outlast the process, such as a calibration. None outside of an agent.

        Raises OSError when the disk refuses the folder.
        """
        return None if self._svc_context is None else self._svc_context.folder()

    @property
    def call_id(self) -> str | None:
        """Id of the call that the running code serves; None outside of calls.

        It is unique for ever, and a repeat of the call has the same id. Pass it to an instrument that accepts command
        ids, so that `_reconcile` can ask the instrument about the command.
        """
        return CALL_ID.get()

    def ask_person(self, question: str | None) -> None:
        """Asks people for something while a call goes on, for example to close a door.

        The question is an item of `svc attention` and of the page, until the device asks another one or None, or its
        process ends. It decides nothing: say what a person can do, and go on when that is done. At most 1,000 characters
        of it are kept.
        """
        if self._svc_context is not None:
            self._svc_context.ask(question)

    @property
    def call_allocation(self) -> Allocation | None:
        """The allocation of the task whose call the running code serves; None outside of calls, and when a person calls."""
        call = CALL_ID.get()
        return None if self._svc_context is None or call is None else self._svc_context.allocations.get(call)

    def _initialize(self, parameters: dict[str, Any]) -> Any:
        """Connects to the instrument and brings it to a known, safe state. Called once per process, before any function.

        `parameters` are those of `device.yml`, overridden by those of `lab.yml`. An error of any kind reports that the
        device cannot be used; the operator sees its message.
        """
        raise NotImplementedError

    def _cleanup(self) -> Any:
        """Makes the instrument safe and disconnects. It has 5 seconds if the agent is lost."""
        raise NotImplementedError

    def _report(self) -> Any:
        """Returns the state of the device for people, as a dict. It must not disturb the instrument."""
        raise NotImplementedError

    def _svc_functions(self) -> Mapping[str, Callable[..., Any]]:
        """Functions of this one device that its class does not define, by name. Called once, after `_initialize`.

        A device that takes its functions from a driver overrides it. The values take named parameters. `effect`,
        `idempotent` and `query` declare them: `{"heat": idempotent(parameters={...})(heat)}`.
        """
        return {}
