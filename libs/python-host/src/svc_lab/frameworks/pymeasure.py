"""Devices of PyMeasure (https://pymeasure.readthedocs.io): every instrument that it has a driver for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .calls import ThreadRunner
from .construct import Converter, load, parameters_of
from .device import FrameworkDevice, Operation
from .introspect import Described, methods_of, names_of, needs_arguments
from .pymeasure_properties import InstrumentProperty, properties_of
from .pyvisa_sim import VisaSimulation
from .values import plain

FRAMEWORK = "pymeasure"
_FAKES = "pymeasure.instruments.fakes"
_SHOWN = ("reset", "clear", "check_errors")
"""Methods that every instrument with the common commands of SCPI has."""


class PymeasureDevice(FrameworkDevice):
    """An instrument of PyMeasure. Its functions read and set the properties of the driver, and are its methods.

    Init parameters: `class` and `arguments` of the driver; `simulate`; `queries`, `idempotent`, `timeouts`, `only` and `stops`.
    """

    def _initialize(self, parameters: dict[str, Any]) -> None:
        self._read_settings(parameters)
        # Drivers of PyMeasure write and read in two steps.
        self._runner = ThreadRunner(one_at_a_time=True)
        self._converter = Converter()
        self._instrument: Any = None
        self._simulation: VisaSimulation | None = None
        driver = self._driver_class(parameters["class"])
        given = dict(self._settings.get("arguments", {}))
        try:
            if self._is_simulated:
                driver, given = self._with_simulation(driver, given)
            if _needs(driver, "name"):
                given.setdefault("name", self.name)
            self._instrument = self._converter.make(driver, given, FRAMEWORK, "init_parameters.arguments")
            self._prepare()
        except BaseException:
            self._cleanup()
            raise

    def _cleanup(self) -> None:
        try:
            if self._instrument is not None:
                self._instrument.shutdown()
        finally:
            close = getattr(getattr(self._instrument, "adapter", None), "close", None)
            if close is not None:
                close()
            if self._simulation is not None:
                self._simulation.remove()

    def _report(self) -> dict[str, Any]:
        kind = type(self._instrument)
        return {
            "class": f"{kind.__module__}.{kind.__name__}",
            "simulated": self._is_simulated,
            "adapter": type(self._instrument.adapter).__name__,
        }

    def _driver_class(self, path: str) -> type:
        found = load(path, FRAMEWORK)
        from pymeasure.instruments import Instrument  # type: ignore[import-not-found]

        if not (isinstance(found, type) and issubclass(found, Instrument)):
            raise TypeError(
                f"init_parameters.class is {path}: that is no instrument of PyMeasure, a class below pymeasure.instruments.Instrument"
            )
        return found

    def _with_simulation(self, driver: type, given: dict[str, Any]) -> tuple[type, dict[str, Any]]:
        """The class and the arguments of what stands for the instrument. Raises ValueError if there is nothing."""
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

    def _caller(self, method: Any) -> Any:
        return lambda **given: plain(method(**self._converter.arguments(method, given)))


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
