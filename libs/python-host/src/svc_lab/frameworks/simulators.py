"""The simulators of PyLabRobot, which it calls chatterboxes."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import warnings
from typing import Any

_WORDS = ("chatterbox", "simulator")
_PORTS = {"serial": "Serial", "usb": "USB", "ftdi": "FTDI", "hid": "HID", "socket": "Socket"}
"""The classes of `pylabrobot.io` that open a connection to an instrument, by module."""


def is_simulator(backend: type) -> bool:
    return any(word in backend.__name__.lower() for word in _WORDS)


def simulator_of(backend: type) -> type:
    """The simulator that is nearest to a class of backends: the one of the instrument, else the one of its kind.

    Raises ValueError when PyLabRobot has none.
    """
    if is_simulator(backend):
        return backend
    from pylabrobot.machines.backend import MachineBackend  # type: ignore[import-not-found]

    for above in backend.__mro__:
        if not issubclass(above, MachineBackend) or above is MachineBackend:
            continue
        _import_simulators_beside(above.__module__)
        found = [each for each in _subclasses(above) if _simulates(each, above)]
        if found:
            # The nearest has the fewest classes between; a chatterbox before a simulator that needs another package.
            return min(found, key=lambda each: (each.__mro__.index(above), "chatterbox" not in each.__name__.lower()))
    raise ValueError(
        f"PyLabRobot has no simulator for {backend.__module__}.{backend.__name__}: let simulate name the class of one, "
        "as in {class: my_lab.simulation.Backend}, or leave it out to use the instrument"
    )


def _simulates(found: type, above: type) -> bool:
    """Whether a class is a simulator of every backend below `above`. One that extends another instrument simulates that."""
    between = found.__mro__[1 : found.__mro__.index(above)]
    instruments = [each for each in between if not is_simulator(each) and issubclass(each, above)]
    return (
        is_simulator(found) and not inspect.isabstract(found) and all(inspect.isabstract(each) for each in instruments)
    )


def check_simulator(simulator: type, asked: Any, machine: type) -> None:
    """Raises ValueError when a simulator lacks what the backend of a machine must have."""
    lacks = sorted(name for name in getattr(asked, "__abstractmethods__", ()) if not hasattr(simulator, name))
    if lacks:
        raise ValueError(
            f"PyLabRobot has no simulator for {machine.__name__}: {simulator.__name__} lacks {', '.join(lacks)}. Let simulate name "
            "the class of one, or leave it out to use the instrument"
        )


def arguments_for(simulator: type, given: dict[str, Any]) -> dict[str, Any]:
    """Those arguments of an instrument that its simulator takes too."""
    taken = inspect.signature(simulator).parameters
    return {name: value for name, value in given.items() if name in taken}


def forbid_instruments() -> None:
    """Lets every attempt of this process to open a port of an instrument fail, for all of PyLabRobot."""
    for module, name in _PORTS.items():
        port = getattr(importlib.import_module(f"pylabrobot.io.{module}"), name)
        port.setup = _refusal(name)


def _refusal(name: str) -> Any:
    async def setup(*_: object, **__: object) -> None:
        raise RuntimeError(
            f"simulate is true, but the driver wants to open an instrument ({name}): it has no simulator"
        )

    return setup


def _import_simulators_beside(module: str) -> None:
    """A class can only be found after its module was imported."""
    package = sys.modules[module.rpartition(".")[0]]
    for each in pkgutil.iter_modules(getattr(package, "__path__", [])):
        if any(word in each.name.lower() for word in _WORDS) and not each.name.endswith("_tests"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    importlib.import_module(f"{package.__name__}.{each.name}")
                except (ImportError, NotImplementedError, RuntimeError):
                    # It needs a package that is not installed, or was replaced by another module.
                    continue


def _subclasses(above: type) -> list[type]:
    found: list[type] = []
    for each in above.__subclasses__():
        found.extend(other for other in (each, *_subclasses(each)) if other not in found)
    return found
