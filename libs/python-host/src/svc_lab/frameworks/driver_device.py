"""What the devices have in common whose driver is one object that blocks while it talks to its instrument."""

from __future__ import annotations

from typing import Any

from .calls import ThreadRunner
from .construct import Converter, load
from .device import FrameworkDevice
from .pyvisa_sim import VisaSimulation
from .values import plain


class DriverDevice(FrameworkDevice):
    """An instrument that an object of a driver class drives. A subclass names the framework, and says how its drivers differ.

    Init parameters: `class` and `arguments` of the driver; `simulate`; `queries`, `idempotent`, `timeouts`, `only` and `stops`.
    """

    _framework: str
    """Name of the library that has to be installed."""
    _kind: str
    """What a class of the framework must be, for messages."""

    def _initialize(self, parameters: dict[str, Any]) -> None:
        self._read_settings(parameters)
        # Drivers write and read in two steps.
        self._runner = ThreadRunner(one_at_a_time=True)
        self._converter = Converter()
        self._instrument: Any = None
        self._simulation: VisaSimulation | None = None
        driver = self._driver_class(parameters["class"])
        given = dict(self._settings.get("arguments", {}))
        try:
            if self._is_simulated:
                driver, given = self._with_simulation(driver, given)
            if self._gets_name(driver):
                given.setdefault("name", self.name)
            self._instrument = self._converter.make(driver, given, self._framework, "init_parameters.arguments")
            self._prepare()
        except BaseException:
            self._cleanup()
            raise

    def _cleanup(self) -> None:
        try:
            if self._instrument is not None:
                self._end()
        finally:
            if self._simulation is not None:
                self._simulation.remove()

    def _report(self) -> dict[str, Any]:
        kind = type(self._instrument)
        return {
            "class": f"{kind.__module__}.{kind.__name__}",
            "simulated": self._is_simulated,
            **self._details(),
        }

    def _driver_class(self, path: str) -> type:
        found = load(path, self._framework)
        if not (isinstance(found, type) and issubclass(found, self._base())):
            raise TypeError(f"init_parameters.class is {path}: that is no {self._kind}")
        return found

    def _caller(self, method: Any) -> Any:
        return lambda **given: plain(method(**self._converter.arguments(method, given)))

    def _base(self) -> type:
        """The class of the framework that every driver extends."""
        raise NotImplementedError

    def _gets_name(self, driver: type) -> bool:
        """Whether the driver gets the name of the device as its argument `name`, unless the lab gives one."""
        raise NotImplementedError

    def _with_simulation(self, driver: type, given: dict[str, Any]) -> tuple[type, dict[str, Any]]:
        """The class and the arguments of what stands for the instrument. Raises ValueError if there is nothing."""
        raise NotImplementedError

    def _end(self) -> None:
        """Makes the instrument safe if the driver knows how, and disconnects it."""
        raise NotImplementedError

    def _details(self) -> dict[str, Any]:
        """What the report says beside the class."""
        raise NotImplementedError
