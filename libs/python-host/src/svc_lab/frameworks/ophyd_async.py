"""Devices of ophyd-async as operations. Its calls are `async`, and run in the event loop of the device."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from .construct import Converter
from .device import Operation
from .introspect import Described, methods_of, spec_of
from .ophyd_blocking import ACTS, CONNECT_S, READS, first_line, joined, taken_by
from .values import Choices, Taken, plain

_CORE = "ophyd_async.core"


class AsyncTree:
    """A device with the devices and signals below it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._converter = Converter()
        self._described: dict[str, Mapping[str, Any]] = {}

    @staticmethod
    def is_simulator(kind: type) -> bool:
        """Whether a class touches no instrument by itself."""
        return kind.__module__.startswith("ophyd_async.sim")

    async def connect(self, mock: bool) -> None:
        """Raises NotConnectedError of ophyd-async, which names the signals."""
        await self.root.connect(mock=mock, timeout=CONNECT_S)
        for path, part in _parts(self.root):
            if _is_signal(part) and hasattr(part, "describe"):
                self._described[path] = next(iter((await part.describe()).values()), {})

    def close(self) -> None:
        """ophyd-async keeps no connection that must be closed."""

    async def end(self) -> None:
        self.close()

    def stops(self) -> list[Callable[..., Any]]:
        return [_stopper(part) for _, part in _parts(self.root) if hasattr(part, "stop")]

    def operations(self) -> dict[str, Operation]:
        found: dict[str, Operation] = {}
        for path, part in _parts(self.root):
            if _is_signal(part):
                found.update(self._of_signal(path, part))
                continue
            for name, method in methods_of(part, _hidden(part)).items():
                found.setdefault(joined(path, name), Operation(self._caller(method), Described.of_method(method)))
            found.update(_verbs(path, part, self._position(path, part)))
        return found

    def _caller(self, method: Any) -> Any:
        async def call(**given: Any) -> Any:
            return await finished(method(**self._converter.arguments(method, given)))

        return call

    def _of_signal(self, path: str, signal: Any) -> dict[str, Operation]:
        about = self._described.get(path, {})
        unit = about.get("units")
        name = f"signal {signal.name or path}"
        found: dict[str, Operation] = {}
        if hasattr(signal, "get_value"):
            text = f"{name[:1].upper()}{name[1:]}{f' ({unit})' if unit else ''}"
            found[joined("get", path)] = Operation(_caller_of(signal.get_value), Described(text, {}), "query")
        if hasattr(signal, "set"):
            found[joined("set", path)] = _setter(signal.set, f"Sets {name}", _taken(signal, about))
        if hasattr(signal, "trigger"):
            found[joined(path, "trigger")] = Operation(_caller_of(signal.trigger), Described(f"Triggers {name}", {}))
        return found

    def _position(self, path: str, part: Any) -> Taken:
        """What `set` of a device takes: a number, if the device has a setpoint that takes one."""
        if not hasattr(part, "set"):
            return Taken()
        for name in ("user_setpoint", "setpoint"):
            about = self._described.get(joined(path, name))
            if about is not None:
                return taken_by(about)
        return Taken()


async def finished(value: Any) -> Any:
    """Awaits a coroutine or a status, and returns its result as JSON."""
    while inspect.isawaitable(value):
        value = await value
    return plain(value)


def _parts(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A device with the devices and signals below it, each with the names on the way to it."""
    yield path, part
    for name, child in part.children():
        yield from _parts(child, joined(path, name))


def _is_signal(part: Any) -> bool:
    from ophyd_async.core import Signal  # type: ignore[import-not-found]

    return isinstance(part, Signal)


def _hidden(part: Any) -> set[str]:
    """What belongs to ophyd-async itself, and the verbs of Bluesky."""
    core = [each for each in type(part).__mro__ if each.__module__.startswith((_CORE, "bluesky")) or each is object]
    return {name for each in core for name in vars(each)} | {*READS, *ACTS, "set", "stop", "locate"}


def _stopper(part: Any) -> Callable[..., Any]:
    return lambda: part.stop(success=False)


def _caller_of(method: Any) -> Callable[..., Any]:
    async def call() -> Any:
        return await finished(method())

    return call


def _setter(method: Any, text: str, taken: Taken) -> Operation:
    async def call(value: Any) -> Any:
        return await finished(method(taken.value(value)))

    return Operation(call, Described.of_value(text, taken.spec))


def _taken(signal: Any, about: Mapping[str, Any]) -> Taken:
    """By the type of the signal, with the unit and the limits that it describes."""
    datatype = getattr(signal, "datatype", None) or getattr(getattr(signal, "_connector", None), "backend", None)
    datatype = getattr(datatype, "datatype", datatype)
    spec = spec_of(datatype, lambda _: False) if isinstance(datatype, type) else None
    if spec is None:
        return taken_by(about)
    if spec["type"] in ("int", "float"):
        described = taken_by({**about, "dtype": "number"}).spec or spec
        return Taken({**described, "type": spec["type"]})
    if spec["type"] == "choice":
        choices = Choices(datatype)  # type: ignore[arg-type]
        return Taken(choices.spec, choices.value)
    return Taken(spec) if spec["type"] in ("str", "bool") else taken_by(about)


def _verbs(path: str, part: Any, position: Taken) -> dict[str, Operation]:
    reads = (*READS, "locate") if path == "" else READS[:1]
    acts = ACTS if path == "" else ACTS[:1]
    found = {
        joined(path, verb): Operation(_caller_of(getattr(part, verb)), Described(first_line(part, verb), {}), kind)
        for verbs, kind in ((reads, "query"), (acts, "effect"))
        for verb in verbs
        if hasattr(part, verb)
    }
    if hasattr(part, "set"):
        found[joined(path, "set")] = _setter(part.set, first_line(part, "set"), position)
    return found
