"""Devices of ophyd as operations. Its calls block, and a motion is awaited by its status."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from .construct import Converter
from .device import Operation
from .introspect import Described, methods_of
from .values import Spec, Taken, number, plain

CONNECT_S = 10.0
"""Longest time until all signals are connected."""
READS = ("read", "describe", "read_configuration", "describe_configuration")
"""Verbs of Bluesky that only read."""
ACTS = ("trigger", "stage", "unstage", "kickoff", "complete")
"""Verbs of Bluesky that need no value."""
_CORE = (
    "ophyd.ophydobj",
    "ophyd.device",
    "ophyd.signal",
    "ophyd.positioner",
    "ophyd.pseudopos",
    "ophyd.flyers",
    "ophyd.areadetector.base",
)


class BlockingTree:
    """A device with the devices and signals below it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._converter = Converter()

    @staticmethod
    def class_for(found: Any, path: str, simulate: bool) -> type:
        """The class to make: with `simulate`, one whose signals of EPICS are replaced. Raises TypeError if it is none of ophyd."""
        from ophyd.ophydobj import OphydObject  # type: ignore[import-not-found]

        if not (isinstance(found, type) and issubclass(found, OphydObject)):
            raise TypeError(
                f"init_parameters.class is {path}: that is no device of ophyd or ophyd-async, a class below ophyd.Device or "
                "ophyd_async.core.Device"
            )
        if not simulate or found.__module__ == "ophyd.sim":
            return found
        from ophyd import Device  # type: ignore[import-not-found]
        from ophyd.signal import EpicsSignalBase  # type: ignore[import-not-found]
        from ophyd.sim import fake_device_cache, make_fake_device  # type: ignore[import-not-found]

        if issubclass(found, EpicsSignalBase):
            if found not in fake_device_cache:
                raise ValueError(
                    f"ophyd has no fake of {path}: let simulate name the class of a simulator, or leave it out"
                )
            return fake_device_cache[found]
        return make_fake_device(found) if issubclass(found, Device) else found

    def connect(self) -> None:
        """Raises TimeoutError when signals do not connect."""
        for _, each in _parts(self.root):
            # A fake with limits that nobody has set refuses every value.
            if hasattr(each, "sim_set_limits") and getattr(each, "_use_limits", False) and each.limits is None:
                each.sim_set_limits((float("-inf"), float("inf")))
        wait = getattr(self.root, "wait_for_connection", None)
        if wait is not None:
            wait(timeout=CONNECT_S)

    def close(self) -> None:
        destroy = getattr(self.root, "destroy", None)
        if destroy is not None:
            destroy()

    end = close

    def stops(self) -> list[Callable[..., Any]]:
        """The `stop` of the device, if it or a part of it does more than ophyd's own, which only asks the parts."""
        has_stop = any(_is_own_stop(each) for _, each in _parts(self.root))
        return [self._stop] if has_stop else []

    def _stop(self) -> None:
        self.root.stop(success=False)

    def operations(self) -> dict[str, Operation]:
        found: dict[str, Operation] = {}
        for path, part in _parts(self.root):
            if _is_signal(part):
                found.update(_of_signal(path, part))
                if path:
                    continue
            for name, method in methods_of(part, _hidden(part)).items():
                if not name.startswith("sim_"):
                    found.setdefault(joined(path, name), Operation(self._caller(method), Described.of_method(method)))
            found.update(_verbs(path, part))
        return found

    def _caller(self, method: Any) -> Any:
        return lambda **given: finished(method(**self._converter.arguments(method, given)))


def joined(*names: str) -> str:
    return "_".join(name.replace(".", "_") for name in names if name)


def finished(value: Any) -> Any:
    """Waits for a status, and returns any other value as JSON. Raises what the status says when it failed."""
    if not (hasattr(value, "add_callback") and hasattr(value, "done")):
        return plain(value)
    over = threading.Event()
    value.add_callback(lambda *_: over.set())
    # A stop ends this thread between two waits.
    while not over.wait(0.05):
        pass
    error = value.exception(timeout=0) if hasattr(value, "exception") else None
    if error is not None:
        raise error
    if not value.success:
        raise RuntimeError("the device says that it failed, and not why")
    return None


def _parts(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A device with the signals, devices and positioners below it, each with the names on the way to it."""
    yield path, part
    for name in getattr(part, "component_names", ()):
        yield from _parts(getattr(part, name), joined(path, name))


def _is_signal(part: Any) -> bool:
    from ophyd import Signal  # type: ignore[import-not-found]

    return isinstance(part, Signal)


def _is_own_stop(part: Any) -> bool:
    stop = getattr(type(part), "stop", None)
    return stop is not None and stop.__module__ not in ("ophyd.device", "ophyd.ophydobj", "ophyd.signal")


def _hidden(part: Any) -> set[str]:
    """What belongs to ophyd itself, and the verbs of Bluesky."""
    core = [each for each in type(part).__mro__ if each.__module__ in _CORE or each is object]
    return {name for each in core for name in vars(each)} | {*READS, *ACTS, "set", "stop", "get", "put"}


def _of_signal(path: str, signal: Any) -> dict[str, Operation]:
    about = _described(signal)
    text = str(getattr(signal, "doc", None) or "") or f"Signal {signal.name}"
    unit = about.get("units")
    found = {
        joined("get", path): Operation(
            lambda: plain(signal.get()), Described(f"{text}{f' ({unit})' if unit else ''}", {}), "query"
        )
    }
    if getattr(signal, "write_access", True):
        taken = taken_by(about)
        found[joined("set", path)] = Operation(
            lambda value: finished(signal.set(taken.value(value))),
            Described.of_value(f"Sets {text[:1].lower()}{text[1:]}", taken.spec),
        )
    return found


def _described(signal: Any) -> Mapping[str, Any]:
    try:
        return next(iter(signal.describe().values()), {})
    except Exception:
        # A signal without a value does not know its type.
        return {}


def taken_by(about: Mapping[str, Any]) -> Taken:
    """What a signal takes, by its entry in `describe()`."""
    choices = about.get("enum_strs") or about.get("choices")
    if choices:
        return Taken.one_of([str(each) for each in choices])
    kind = str(about.get("dtype", ""))
    if kind in ("number", "integer"):
        # A signal that has a whole number now may take others.
        return Taken(number("float", about.get("units"), *_limits(about)))
    simple: dict[str, Spec] = {"string": {"type": "str"}, "boolean": {"type": "bool"}}
    return Taken(simple.get(kind))


def _limits(about: Mapping[str, Any]) -> tuple[Any, Any]:
    control = (about.get("limits") or {}).get("control") or {}
    low = about.get("lower_ctrl_limit", control.get("low"))
    high = about.get("upper_ctrl_limit", control.get("high"))
    if low is not None and high is not None and not low < high:
        # EPICS says 0 and 0 for no limits.
        return None, None
    return low, high


def _verbs(path: str, part: Any) -> dict[str, Operation]:
    reads = READS if path == "" else READS[:1]
    acts = ACTS if path == "" else ACTS[:1]
    found = {
        joined(path, verb): Operation(
            _plain_caller(getattr(part, verb)), Described(first_line(part, verb), {}), "query"
        )
        for verb in reads
        if hasattr(part, verb)
    }
    for verb in acts:
        if hasattr(part, verb):
            found[joined(path, verb)] = Operation(
                _plain_caller(getattr(part, verb)), Described(first_line(part, verb), {})
            )
    # A signal has a function of that name already.
    if hasattr(part, "set") and not _is_signal(part):
        found[joined(path, "set")] = Operation(
            lambda value: finished(part.set(value)), Described.of_value(first_line(part, "set"), _position_spec(part))
        )
    if hasattr(type(part), "position"):
        unit = _unit(part)
        found[joined("get", path, "position")] = Operation(
            lambda: plain(part.position), Described(f"Position{f' ({unit})' if unit else ''}", {}), "query"
        )
    return found


def _plain_caller(method: Any) -> Callable[..., Any]:
    return lambda: finished(method())


def first_line(part: Any, verb: str) -> str:
    """What the docstring of a verb says first."""
    doc = getattr(getattr(type(part), verb, None), "__doc__", None)
    return (doc or verb).strip().split("\n", maxsplit=1)[0]


def _unit(part: Any) -> str:
    try:
        return str(getattr(part, "egu", "") or "")
    except Exception:
        return ""


def _position_spec(part: Any) -> Spec | None:
    """A device with a position takes a number, in its unit and between its limits."""
    try:
        position = getattr(part, "position", None)
        low, high = getattr(part, "limits", None) or (None, None)
    except Exception:
        return None
    if isinstance(position, bool) or not isinstance(position, (int, float)):
        return None
    if low is None or high is None or not low < high:
        low = high = None
    return number("float", _unit(part), low, high)
