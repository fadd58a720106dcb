"""Devices of PyMeasure (https://pymeasure.readthedocs.io): every instrument that it has a driver for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .construct import parameters_of
from .device import Operation
from .driver_device import DriverDevice
from .introspect import Described, methods_of, names_of, needs_arguments
from .pymeasure_properties import InstrumentProperty, properties_of
from .pyvisa_sim import VisaSimulation
from .values import plain

_FAKES = "pymeasure.instruments.fakes"
_SHOWN = ("reset", "clear", "check_errors")
"""Methods that every instrument with the common commands of SCPI has."""


class PymeasureDevice(DriverDevice):
    """An instrument of PyMeasure. Its functions read and set the properties of the driver, and are its methods."""

    _framework = "pymeasure"
    _kind = "instrument of PyMeasure, a class below pymeasure.instruments.Instrument"

    def _base(self) -> type:
        from pymeasure.instruments import Instrument  # type: ignore[import-not-found]

        return Instrument

    def _gets_name(self, driver: type) -> bool:
        return _needs(driver, "name")

    def _end(self) -> None:
        try:
            self._instrument.shutdown()
        finally:
            close = getattr(getattr(self._instrument, "adapter", None), "close", None)
            if close is not None:
                close()

    def _details(self) -> dict[str, Any]:
        return {"adapter": type(self._instrument.adapter).__name__}

    def _with_simulation(self, driver: type, given: dict[str, Any]) -> tuple[type, dict[str, Any]]:
        own = self._settings["simulate"]
        if own is True:
            if driver.__module__ == _FAKES:
                return driver, given
            raise ValueError(
                f"PyMeasure has no simulator for {driver.__name__}: let simulate have pairs of what is written and answered, the devices "
                "and resources of pyvisa-sim, or the class of a simulator, or leave it out to use the instrument"
            )
        if "class" in own:
            return self._driver_class(own["class"]), dict(own.get("arguments", {}))
        if "pairs" in own:
            return driver, {**given, "adapter": _protocol_adapter(own["pairs"])}
        self._simulation = VisaSimulation(own)
        return driver, {**given, "adapter": _visa_adapter(self._simulation, given.get("adapter"))}

    def _known_stops(self) -> list[Any]:
        from pymeasure.instruments import Instrument  # type: ignore[import-not-found]

        # The one of the base class only notes that it was called.
        is_own = type(self._instrument).shutdown is not Instrument.shutdown
        return [self._instrument.shutdown] if is_own and not needs_arguments(self._instrument.shutdown) else []

    def _operations(self) -> dict[str, Operation]:
        from pymeasure.instruments import Channel, Instrument  # type: ignore[import-not-found]

        hidden = names_of(Instrument, Channel)
        shown = {"shutdown", *(_SHOWN if _has_common_commands(self._instrument) else ())}
        found: dict[str, Operation] = {}
        for path, part in _parts(self._instrument):
            for name, method in methods_of(part, hidden - (shown if path == "" else set())).items():
                found[_joined(path, name)] = Operation(self._caller(method), Described.of_method(method))
            for each in properties_of(part, None if _has_common_commands(part) else Instrument):
                # A method of that name says more than the property.
                if each.is_readable:
                    found.setdefault(_joined("get", path, each.name), _getter(part, each))
                if each.is_settable:
                    found.setdefault(_joined("set", path, each.name), _setter(part, each))
        return found


def _visa_adapter(simulation: VisaSimulation, wanted: Any) -> Any:
    from pymeasure.adapters import VISAAdapter  # type: ignore[import-not-found]

    name = simulation.resource(wanted)
    return VISAAdapter(name, visa_library=simulation.library, **simulation.terminations(name))


def _protocol_adapter(pairs: Any) -> Any:
    from pymeasure.adapters import ProtocolAdapter  # type: ignore[import-not-found]

    if not (isinstance(pairs, list) and all(isinstance(each, list) and len(each) == 2 for each in pairs)):
        raise ValueError(
            "init_parameters.simulate.pairs must be a list of what is written and what is answered, "
            'as in [["VOLT?", "1.5"], ["OUTP 1", null]]'
        )
    return ProtocolAdapter([tuple(each) for each in pairs])


def _needs(driver: type, argument: str) -> bool:
    return any(each.name == argument and each.default is each.empty for each in parameters_of(driver))


def _has_common_commands(part: Any) -> bool:
    return bool(getattr(part, "SCPI", False))


def _parts(instrument: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """An instrument with its channels, each with the names on the way to it."""
    from pymeasure.instruments import Channel  # type: ignore[import-not-found]

    yield path, instrument
    for name, value in list(vars(instrument).items()):
        if isinstance(value, Channel) and name != "parent" and not name.startswith("_"):
            yield from _parts(value, _joined(path, name))


def _joined(*names: str) -> str:
    return "_".join(name for name in names if name)


def _getter(part: Any, each: InstrumentProperty) -> Operation:
    return Operation(lambda: plain(getattr(part, each.name)), Described(each.description, {}), "query")


def _setter(part: Any, each: InstrumentProperty) -> Operation:
    taken = each.taken(part)

    def work(value: Any) -> None:
        setattr(part, each.name, taken.value(value))

    return Operation(work, Described.of_value(each.description, taken.spec), "idempotent")
