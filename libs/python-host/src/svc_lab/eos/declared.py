"""Tasks as EOS 0.31 declares them: an `async` function whose annotations say what it takes and gives."""

from __future__ import annotations

import inspect
import pathlib
import typing
from dataclasses import dataclass

from .device import BaseDevice
from .device import BaseDevice as Device
from .resource import Resource, to_plain
from .task import BaseTask, File

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Context", "Device", "File", "Param", "Resource", "task"]

_METADATA = "eos"


@dataclass(frozen=True)
class Context:
    """What a task may know of itself."""

    task_name: str
    protocol_run_name: str | None


class _PlainParam:
    """A declaration where pydantic is not installed."""

    def __init__(self, default: object, extra: dict[str, Any]) -> None:
        self.default = default
        self.json_schema_extra = extra


class _Undefined:
    """No default is declared."""


def Param(default: Any = _Undefined, *, desc: str | None = None, **metadata: Any) -> Any:  # noqa: N802 -- its name in EOS
    """Declares an input or output: its default, and `unit`, `min`, `max`, `group` and `file_name`."""
    extra: Any = {_METADATA: metadata}
    try:
        from pydantic import Field  # type: ignore[import-not-found]
    except ImportError:
        return _PlainParam(default, extra)
    return Field(... if default is _Undefined else default, description=desc, json_schema_extra=extra)


class _TaskType(type):
    """Calls of a task go to its function, as in EOS."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        return cls._eos_function(*given, **named)  # type: ignore[attr-defined]


class _DeclaredTask(BaseTask, metaclass=_TaskType):
    _eos_function: Callable[..., Any]

    async def _execute(  # type: ignore[override]
        self, devices: Any, parameters: Any, resources: Any, files: Any
    ) -> Any:
        function = type(self)._eos_function
        hints = typing.get_type_hints(function)
        given = {
            name: self._input(
                name, _without_none(hints[name]), declared.default, (devices, parameters, resources, files)
            )
            for name, declared in inspect.signature(function).parameters.items()
        }
        result = await function(**given)
        return None if result is None else _outputs_of(result)

    def _input(self, name: str, wanted: Any, default: Any, given: tuple[Any, Any, Any, Any]) -> Any:
        devices, parameters, resources, files = given
        if wanted is Context:
            return Context(self._task_name, self._protocol_run_name or None)
        if isinstance(wanted, type) and issubclass(wanted, BaseDevice):
            return devices.get(name)
        if isinstance(wanted, type) and issubclass(wanted, Resource):
            if name in resources and type(resources[name]) is not wanted:
                resources[name] = wanted.model_validate(resources[name])
            return resources.get(name)
        if wanted is File:
            return files.get(name)
        value = parameters[name] if name in parameters else getattr(default, "default", default)
        return tuple(value) if typing.get_origin(wanted) is tuple else value


def _outputs_of(result: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The parameters, resources and files in the fields of a model."""
    parameters: list[str] = []
    resources: dict[str, Any] = {}
    files: dict[str, Any] = {}
    for name, field in type(result).model_fields.items():
        wanted, value = _without_none(field.annotation), getattr(result, name)
        if wanted in (bytes, pathlib.Path):
            if value is not None:
                files[_metadata_of(field).get("file_name") or name] = value
        elif wanted in (dict[str, bytes], dict[str, pathlib.Path]):
            files.update(value or {})
        elif isinstance(wanted, type) and issubclass(wanted, Resource):
            if value is not None:
                resources[name] = value
        else:
            parameters.append(name)
    return to_plain(result.model_dump(mode="json", include=set(parameters))), resources, files


def _metadata_of(field: Any) -> dict[str, Any]:
    extra = getattr(field, "json_schema_extra", None)
    return extra.get(_METADATA, {}) if isinstance(extra, dict) else {}


def _without_none(annotation: Any) -> Any:
    """`T` for `T | None`."""
    choices = [each for each in typing.get_args(annotation) if each is not type(None)]
    is_optional = type(None) in typing.get_args(annotation)
    return choices[0] if is_optional and len(choices) == 1 else annotation


def task(task_type: str) -> Callable[[Callable[..., Any]], Any]:
    """Declares an `async` function as the task type of this name."""

    def declare(function: Callable[..., Any]) -> Any:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"Task '{task_type}' must be an async function.")
        members = {
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "_eos_function": staticmethod(function),
        }
        return _TaskType(function.__name__, (_DeclaredTask,), members)

    return declare
