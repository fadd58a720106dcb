"""The base class of tasks of EOS, and what a task gets."""

from __future__ import annotations

import inspect
from typing import Any

from .. import task as native
from .resource import Resource, from_plain, to_plain

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable

_PIECE = 3 * 1024 * 1024


class DeviceHandle(native.DeviceHandle):
    """A device as a task of EOS sees it. A call waits for its result, also in `async` code.

    A function takes its parameters by position or by name. Resources among them arrive as resources.
    """

    def __init__(self, slot: str, device: dict[str, Any], call: Callable[..., Any]) -> None:
        super().__init__(slot, device, call)
        self.meta: dict[str, Any] = device.get("meta") or {}
        self._positional = {each["name"]: each.get("positional") for each in device["functions"] or ()}

    def _make_call(self, function: str, given: tuple[object, ...], parameters: dict[str, object]) -> Any:
        place = f"{self._slot}.{function}"
        names = self._positional.get(function)
        if given and names is not None:
            if len(given) > len(names):
                raise TypeError(f"{place} takes {len(names)} arguments without a name, and {len(given)} were given")
            by_position = dict(zip(names, given))
            for name in by_position.keys() & parameters.keys():
                raise TypeError(f"{place} was given two values for {name}")
            given, parameters = (), {**by_position, **parameters}
        if given:
            return super()._make_call(function, given, parameters)
        return from_plain(self._call(self, function, to_plain(parameters), always_waits=True))


RayActorWrapper = DeviceHandle
"""Its name in EOS."""


class File:
    """An input file of a task."""

    def __init__(self, file: native.InputFile) -> None:
        self._path = file.path
        self.key = file.name
        """Its name."""

    async def read(self) -> bytes:
        """The whole file."""
        with open(self._path, "rb") as file:
            return file.read()

    async def stream(self, chunk_size: int = _PIECE) -> AsyncIterator[bytes]:
        """Its content in pieces of at most so many bytes."""
        with open(self._path, "rb") as file:
            while piece := file.read(chunk_size):
                yield piece

    async def download_to(self, local_path: str | os.PathLike[str]) -> None:
        """Copies it to a path on the computer of the task."""
        with open(local_path, "wb") as copy:
            async for piece in self.stream():
                copy.write(piece)


class BaseTask(native.BaseTask):
    """A type of task of EOS. Extend it once per task type, in `tasks/<type>/task.py`.

    `_execute` returns None, or a tuple of up to three items: output parameters, output resources and files, each of
    which may be None. An input resource that it does not return counts as returned.
    """

    DevicesType = dict[str, DeviceHandle]
    ParametersType = dict[str, Any]
    ResourcesType = dict[str, Resource]
    InputFilesType = dict[str, File]
    FilesType = dict[str, bytes]
    OutputType = tuple[ParametersType, ResourcesType, FilesType]
    MAX_OUTPUT_LENGTH = 3

    # EOS gives these names no meaning, so authors may use them.
    devices: Any = None
    files: Any = None
    log: Any = None
    parameters: Any = None
    resources: Any = None
    signal: Any = None

    _svc_handle_class = DeviceHandle
    _svc_resource_class = Resource

    def __init__(self, protocol_run_name: str, task_name: str) -> None:
        self._protocol_run_name = protocol_run_name
        self._task_name = task_name

    def _svc_start(self) -> None:
        run, _, task = self._svc().label.rpartition("/")
        self.__init__(run, task)

    async def _svc_execute(self) -> Any:
        context = self._svc()
        inputs: list[Any] = [context.devices, context.parameters, context.resources]
        if _takes_files(self._execute):
            inputs.append({handle: File(file) for handle, file in context.files.items()})
        output = self._execute(*inputs)
        if inspect.isawaitable(output):
            output = await output
        if not output:
            output = ()
        if not isinstance(output, (tuple, list)) or len(output) > self.MAX_OUTPUT_LENGTH:
            return output
        parameters, resources, files = [each or {} for each in (*output, None, None, None)][: self.MAX_OUTPUT_LENGTH]
        if not all(isinstance(each, dict) for each in (parameters, resources, files)):
            return parameters, resources, files
        return to_plain(parameters), {**context.resources, **resources}, files


def _takes_files(execute: Callable[..., Any]) -> bool:
    """Whether `_execute` has a fourth parameter. EOS gives it the input files from version 0.29 on."""
    kinds = [each.kind for each in inspect.signature(execute).parameters.values()]
    return len(kinds) > 3 or inspect.Parameter.VAR_POSITIONAL in kinds
