"""The base class of tasks, and what a task gets."""

from __future__ import annotations

import threading

# See device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from logging import Logger
    from pathlib import Path
    from typing import Any, NoReturn


class Aborted(Exception):
    """The task was cancelled. Let it pass, so that the task ends."""


class DeviceError(Exception):
    """The error of a failed device call."""

    def __init__(self, message: str, *, code: str, device: str, function: str, device_stack: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        """`device_error` if the device function raised an error, `unknown_function`, `device_unavailable`,
        `deadline_exceeded`, or `aborted` if the task was cancelled."""
        self.device = device
        """The device, as `<lab>.<device>`."""
        self.function = function
        self.device_stack = device_stack
        """Frames of the failure in the package of the device, one per line; None: none are known."""


class AbortSignal:
    """Says whether the task was cancelled. Code that waits for anything but the service must watch it."""

    def __init__(self) -> None:
        self._fired = threading.Event()
        self._reason = ""

    @property
    def aborted(self) -> bool:
        return self._fired.is_set()

    @property
    def reason(self) -> str:
        """Why the task was cancelled; empty: it was not."""
        return self._reason

    def pause(self, seconds: float) -> None:
        """Waits, like `time.sleep`. Raises `Aborted` as soon as the task is cancelled."""
        self._fired.wait(seconds)
        self.raise_if_aborted()

    def raise_if_aborted(self) -> None:
        """Raises `Aborted` if the task was cancelled."""
        if self.aborted:
            raise Aborted(self._reason)

    def _fire(self, reason: str) -> None:
        self._reason = reason
        self._fired.set()


class DeviceHandle:
    """A device as a task sees it: its functions, and the name and the lab of the allocated device.

    A function takes named parameters: `pump.dose(volume=5)`. In `async` code a call returns an awaitable, and the call
    begins at once. In other code it waits and returns the result. Both raise `DeviceError`.
    """

    def __init__(self, slot: str, device: dict[str, Any], call: Callable[..., Any]) -> None:
        functions = device["functions"]
        self._slot = slot
        self._functions = None if functions is None else [each["name"] for each in functions]
        self._call = call
        self.lab: str = device["lab"]
        self.name: str = device["name"]

    def __getattr__(self, function: str) -> Callable[..., Any]:
        place = f"{self._slot}.{function}"
        if function.startswith("_"):
            raise AttributeError(f"{place} cannot be called: members that begin with _ belong to the service")

        def call(*given: object, **parameters: object) -> Any:
            return self._make_call(function, given, parameters)

        call.__name__ = function
        return call

    def _make_call(self, function: str, given: tuple[object, ...], parameters: dict[str, object]) -> Any:
        if given:
            place = f"{self._slot}.{function}"
            raise TypeError(
                f"{place} was called with {len(given)} arguments without a name: "
                f"give each its name, as in {place}(first=1, second=2)"
            )
        return self._call(self, function, parameters)


class Resource:
    """A thing that tasks use and pass on, such as a beaker."""

    __slots__ = ("meta", "name", "type")

    def __init__(self, name: str, type: str, meta: dict[str, Any] | None = None) -> None:
        self.name = name
        self.type = type
        self.meta: dict[str, Any] = {} if meta is None else meta
        """Facts about the resource. If a task returns it with changed facts, the next task gets the changed ones."""

    def __repr__(self) -> str:
        return f"Resource(name={self.name!r}, type={self.type!r}, meta={self.meta!r})"


class InputFile:
    """A file that another task or an instrument produced. Each task gets its own copy on the disk of its computer."""

    __slots__ = ("media_type", "name", "path", "sha256", "size")

    def __init__(self, path: str, name: str, size: int, sha256: str, media_type: str) -> None:
        self.path = path
        """Absolute, with the extension of the name. The service removes the copy when the task ends."""
        self.name = name
        self.size = size
        """In bytes."""
        self.sha256 = sha256
        """Hexadecimal. The service has compared the content with it."""
        self.media_type = media_type

    def __fspath__(self) -> str:
        return self.path


class TaskContext:
    """What a host gives to its task."""

    __slots__ = ("devices", "expect_file", "files", "label", "parameters", "resources", "signal", "spool")

    def __init__(
        self,
        signal: AbortSignal,
        devices: dict[str, DeviceHandle],
        parameters: dict[str, Any],
        resources: dict[str, Resource],
        files: dict[str, InputFile],
        *,
        label: str,
        expect_file: Callable[[str, str, float], Any] | None = None,
        spool: str | None = None,
    ) -> None:
        self.expect_file = expect_file
        self.spool = spool
        """The folder that the agent removes after the task; None: the service does not run the task."""
        self.label = label
        """`<protocol run>/<task>`, or the name of an on-demand task."""
        self.signal = signal
        self.devices = devices
        self.parameters = parameters
        self.resources = resources
        self.files = files


class BaseTask:
    """A type of task. Extend it once per task type, in `tasks/<type>/task.py`.

    The service makes a new object for every execution. `_execute` is plain or `async`. When the task is cancelled,
    device calls raise `DeviceError` with the code `aborted`, `self.signal` fires, and an `async` method is cancelled at
    its `await`.
    """

    _svc_context: TaskContext | None = None
    _svc_handle_class: type[DeviceHandle] = DeviceHandle
    _svc_resource_class: type[Resource] = Resource

    def _svc_start(self) -> None:
        """Runs the constructor of the author."""
        self.__init__()  # type: ignore[misc]

    def _svc_execute(self) -> Any:
        """Runs `_execute` of the author."""
        context = self._svc()
        return self._execute(context.devices, context.parameters, context.resources)

    @property
    def devices(self) -> Mapping[str, DeviceHandle]:
        """The devices that `_execute` gets."""
        return self._svc().devices

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that `_execute` gets."""
        return self._svc().parameters

    @property
    def resources(self) -> dict[str, Resource]:
        """The resources that `_execute` gets."""
        return self._svc().resources

    @property
    def files(self) -> Mapping[str, InputFile]:
        """The input files from other tasks, by the handles of `input_files`."""
        return self._svc().files

    def expect_file(self, device: str, pattern: str = "*", *, timeout_s: float = 300) -> Any:
        """Waits until an instrument has written a file that belongs to this task, and returns it as an `InputFile`.

        `files` of the device in `lab.yml` says where the instrument writes. Each call gives another file, the oldest first.
        Return the file under a name, so that other tasks can take it: `{}, {}, {"plate.csv": file}`. In `async` code the call
        returns an awaitable. It raises `DeviceError` with the code `deadline_exceeded` when no file came in time,
        `unknown_device`, `invalid` for a pattern that can match no file, or `aborted` when the task was cancelled.

        `device` is the handle in `task.yml`. `pattern` is for the name of the file; with a `/`, for its path below the folder.
        """
        expect = self._svc().expect_file
        if expect is None:
            raise RuntimeError("expect_file works only in a task that the service runs")
        if not 0 <= timeout_s < float("inf"):
            raise ValueError(f"expect_file: timeout_s must be a number of seconds, not {timeout_s}")
        return expect(device, pattern, timeout_s)

    def scratch_folder(self) -> Path:
        """Makes a folder for files that the task writes while it runs, for example to return them.

        Every call of the task returns the same folder. The service removes it with its content when the task has ended and
        its files are stored. Raises `OSError` of the disk.
        """
        from pathlib import Path

        spool = self._svc().spool
        if spool is None:
            raise RuntimeError("scratch_folder works only in a task that the service runs")
        folder = Path(spool, "scratch")
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def signal(self) -> AbortSignal:
        """Fires when the task is cancelled."""
        return self._svc().signal

    @property
    def log(self) -> Logger:
        """The log of the service. Printed text and all of `logging` go there too."""
        from .logs import author_log

        return author_log()

    def _execute(self, devices: dict[str, Any], parameters: dict[str, Any], resources: dict[str, Any]) -> Any:
        """Does the work of the task.

        Returns output parameters, output resources and files as a tuple of three dicts. An error of any kind fails the
        task; its message and stack are kept in the record of the task.
        """
        raise NotImplementedError

    def _svc(self) -> TaskContext:
        if self._svc_context is None:
            self._svc_context = TaskContext(AbortSignal(), {}, {}, {}, {}, label="")
        return self._svc_context


def unknown_function(handle: DeviceHandle, function: str, known: list[str]) -> NoReturn:
    device = f"{handle.lab}.{handle.name}"
    raise DeviceError(
        f"{device} has no function {function}; it has: {', '.join(known) or 'none'}",
        code="unknown_function",
        device=device,
        function=function,
    )
