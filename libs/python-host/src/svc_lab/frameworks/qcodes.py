"""Devices of QCoDeS (https://microsoft.github.io/Qcodes): every instrument that it has a driver for."""

from __future__ import annotations

import importlib.resources
import inspect
import re
from collections.abc import Iterator
from typing import Any

from .construct import takes
from .device import Operation
from .driver_device import DriverDevice
from .introspect import Described, methods_of, names_of
from .pyvisa_sim import VisaSimulation
from .qcodes_validators import taken_by
from .values import plain

_DUMMIES = "qcodes.instrument_drivers.mock_instruments"
_SIMULATIONS = "qcodes.instrument.sims"


class QcodesDevice(DriverDevice):
    """An instrument of QCoDeS. Its functions read and set the parameters of the driver, and are its methods."""

    _framework = "qcodes"
    _kind = "instrument of QCoDeS, a class below qcodes.Instrument"

    def _base(self) -> type:
        from qcodes.instrument import Instrument  # type: ignore[import-not-found]

        return Instrument

    def _gets_name(self, driver: type) -> bool:
        return takes(driver, "name")

    def _end(self) -> None:
        self._instrument.close()

    def _details(self) -> dict[str, Any]:
        return {"address": getattr(self._instrument, "_address", None)}

    def _with_simulation(self, driver: type, given: dict[str, Any]) -> tuple[type, dict[str, Any]]:
        from qcodes.instrument import VisaInstrument  # type: ignore[import-not-found]

        own = self._settings["simulate"]
        if own is not True and "class" in own:
            return self._driver_class(own["class"]), dict(own.get("arguments", {}))
        if driver.__module__.startswith(_DUMMIES):
            return driver, given
        if not issubclass(driver, VisaInstrument):
            raise ValueError(
                f"{driver.__name__} does not use VISA, so pyvisa-sim cannot simulate it: let simulate name the class of a simulator, "
                "as in {class: my_lab.simulation.Magnet}, or leave it out to use the instrument"
            )
        simulation = self._simulation = VisaSimulation({"file": _simulation_of(driver)} if own is True else own)
        given.pop("pyvisa_sim_file", None)
        return driver, {**given, "address": simulation.resource(given.get("address")), "visalib": simulation.library}

    def _operations(self) -> dict[str, Operation]:
        from qcodes.instrument import (  # type: ignore[import-not-found]
            Instrument,
            InstrumentChannel,
            IPInstrument,
            VisaInstrument,
        )

        hidden = names_of(Instrument, VisaInstrument, IPInstrument, InstrumentChannel)
        found: dict[str, Operation] = {}
        for path, part in _parts(self._instrument):
            for name, method in methods_of(part, hidden).items():
                found[_joined(path, name)] = Operation(self._caller(method), Described.of_method(method))
            for name, function in part.functions.items():
                found.setdefault(_joined(path, name), _of_function(function))
            for name, parameter in part.parameters.items():
                # A method of that name says more than the parameter.
                if parameter.gettable:
                    found.setdefault(_joined("get", path, name), _getter(parameter))
                if parameter.settable:
                    found.setdefault(_joined("set", path, name), _setter(parameter))
        return found


def _simulation_of(driver: type) -> str:
    """The simulation in QCoDeS whose file is named as the driver, such as Keysight_34465A.yaml for Keysight34465A."""

    def letters(name: str) -> str:
        return re.sub("[^a-z0-9]", "", name.lower())

    wanted = {letters(driver.__name__), letters(driver.__module__.rpartition(".")[2])}
    for file in importlib.resources.files(_SIMULATIONS).iterdir():
        stem, dot, ending = file.name.rpartition(".")
        if dot and ending == "yaml" and letters(stem) in wanted:
            return f"{_SIMULATIONS}:{file.name}"
    raise ValueError(
        f"QCoDeS has no simulation that is named as {driver.__name__}: let simulate have the file of one, as in "
        "{file: 'qcodes.instrument.sims:Keysight_34465A.yaml'}, or its devices and resources, or leave it out to use the instrument"
    )


def _parts(instrument: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """An instrument with its submodules and channels, each with the names on the way to it. Each is found once."""
    seen = set() if seen is None else seen
    if id(instrument) in seen:
        return
    seen.add(id(instrument))
    yield path, instrument
    lists: list[tuple[str, Any]] = []
    for name, module in instrument.submodules.items():
        if hasattr(module, "parameters") and hasattr(module, "submodules"):
            yield from _parts(module, _joined(path, name), seen)
        else:
            lists.append((name, module))
    for name, channels in lists:
        for channel in channels:
            # A channel is most often a submodule as well, and has that name then.
            yield from _parts(channel, _joined(path, name, channel.short_name), seen)


def _joined(*names: str) -> str:
    return re.sub(r"\W", "_", "_".join(name for name in names if name))


def _about(parameter: Any) -> str:
    """The label, and the docstring of the author without what QCoDeS adds."""
    label = str(getattr(parameter, "label", "") or "")
    doc = inspect.cleandoc(str(getattr(parameter, "docstring", None) or getattr(parameter, "_docstring", None) or ""))
    return ". ".join(text for text in (label, doc) if text)


def _getter(parameter: Any) -> Operation:
    unit = str(getattr(parameter, "unit", "") or "")
    about = _about(parameter) + (f" ({unit})" if unit else "")
    return Operation(lambda: plain(parameter.get()), Described(about, {}), "query")


def _setter(parameter: Any) -> Operation:
    taken = taken_by(parameter.vals, getattr(parameter, "unit", None))

    def work(value: Any) -> None:
        parameter.set(taken.value(value))

    return Operation(work, Described.of_value(_about(parameter), taken.spec), "idempotent")


def _of_function(function: Any) -> Operation:
    """A function that a driver declares as a command with a fixed number of arguments."""
    taken = {f"arg{index}": taken_by(each) for index, each in enumerate(getattr(function, "_args", ()))}

    def work(**given: Any) -> Any:
        missing = [name for name in taken if name not in given]
        if missing:
            raise TypeError(f"{function.name} needs {', '.join(missing)}")
        return plain(function(*(each.value(given[name]) for name, each in taken.items())))

    specs = {name: each.spec for name, each in taken.items() if each.spec is not None}
    parameters = specs if len(specs) == len(taken) else None
    return Operation(work, Described(f"Sends the command {function.name}", parameters, ", ".join(taken)))
