"""Instruments on a VISA bus (GPIB, USBTMC, serial, TCP) whose functions a definition declares."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..device import NotBegun
from .calls import ThreadRunner
from .construct import demand
from .device import FrameworkDevice, Operation
from .introspect import Described
from .pyvisa_sim import VisaSimulation
from .values import plain
from .visa_functions import VisaFunction
from .visa_twin import twin_of

_SETTINGS = ("visa_library", "functions", "identity", "errors", "start", "safe_state")
_MOST_ERRORS = 20
"""Entries of an error queue that are read at once."""
_BUS_PATIENCE_S = 0.5
"""How long a stop waits for the end of an exchange in progress."""


class VisaDevice(FrameworkDevice):
    """An instrument that pyvisa reaches. Its functions are those of the init parameter `functions`.

    Init parameters: `arguments` of `open_resource`, among them `resource_name`; `visa_library`; `functions`; `identity`, a text that the
    answer to `*IDN?` contains; `errors`, the question for the error queue; `start`, commands of the beginning; `safe_state`, commands
    that make the instrument safe; `simulate`; `queries`, `idempotent`, `timeouts`, `only` and `stops`.
    """

    def _initialize(self, parameters: dict[str, Any]) -> None:
        self._read_settings(parameters, _SETTINGS, without=("class",))
        # Each exchange has the bus for itself, so a query runs between the questions of a long effect.
        self._runner = ThreadRunner(one_at_a_time=False)
        self._bus = threading.RLock()
        self._resource: Any = None
        self._open: Callable[[], Any] = lambda: None
        self._simulation: VisaSimulation | None = None
        self._may_answer_late = False
        """Whether an exchange has begun and not ended as it should."""
        self._identity = ""
        self._functions = [VisaFunction(name, each) for name, each in self._declared("functions", dict).items()]
        self._safe_state = self._commands("safe_state")
        self._errors = self._declared("errors", str)
        start = self._commands("start")
        self._prepare()
        try:
            self._open = self._opener()
            self._connect()
            for command in start:
                self._write(command, command)
        except BaseException:
            self._close()
            raise

    def _cleanup(self) -> None:
        try:
            if self._safe_state:
                self._make_safe()
        finally:
            self._close()

    def _report(self) -> dict[str, Any]:
        return {
            "resource": self._resource_name,
            "connected": self._resource is not None,
            "identity": self._identity,
            "simulated": self._is_simulated,
        }

    @property
    def _resource_name(self) -> str:
        return str(self._settings.get("arguments", {}).get("resource_name", ""))

    @property
    def _what(self) -> str:
        return self._resource_name or "the instrument"

    # Init parameters.

    def _declared(self, key: str, kind: type) -> Any:
        value = self._settings.get(key, kind())
        if not isinstance(value, kind):
            raise ValueError(f"init_parameters.{key} is {value!r}: it must be a {kind.__name__}")
        return value

    def _commands(self, key: str) -> list[str]:
        commands = self._declared(key, list)
        if not all(isinstance(each, str) for each in commands):
            raise ValueError(f"init_parameters.{key} must be a list of commands")
        return commands

    def _opener(self) -> Callable[[], Any]:
        demand("pyvisa", "pyvisa", "svc_lab.frameworks.visa")
        import pyvisa  # type: ignore[import-not-found]

        if not self._resource_name:
            raise ValueError(
                "init_parameters.arguments has no resource_name: name the resource, as in TCPIP0::192.0.2.7::5025::SOCKET or GPIB0::12::INSTR"
            )
        given = dict(self._settings["arguments"])
        name = str(given.pop("resource_name"))
        library = self._declared("visa_library", str)
        if self._is_simulated:
            simulation = self._simulation = self._simulated(name)
            name, library = simulation.resource(name), simulation.library
            given = {
                **{key: value for key, value in given.items() if key == "timeout"},
                **simulation.terminations(name),
            }
        manager = pyvisa.ResourceManager(library)

        def opened() -> Any:
            resource = manager.open_resource(name, **given)
            if isinstance(resource, pyvisa.resources.MessageBasedResource):
                return resource
            resource.close()
            raise TypeError(
                f"{name} is a resource without messages, a {type(resource).__name__}: only those with commands and answers can be used"
            )

        return opened

    def _simulated(self, name: str) -> VisaSimulation:
        own = self._settings["simulate"]
        if own is not True:
            return VisaSimulation(own)
        extra = [*self._commands("start"), *self._safe_state]
        return VisaSimulation(twin_of(name, self._functions, self._declared("identity", str), self._errors, extra))

    def _connect(self) -> None:
        self._resource = self._open()
        self._may_answer_late = False
        self._check_identity()

    def _check_identity(self) -> None:
        wanted = self._declared("identity", str)
        if not wanted:
            return
        self._identity = self._ask("*IDN?", "*IDN?").strip()
        if wanted.lower() not in self._identity.lower():
            raise RuntimeError(
                f"{self._resource_name} is {self._identity!r}, and init_parameters.identity wants {wanted!r}: is it another instrument?"
            )

    # Functions.

    def _operations(self) -> dict[str, Operation]:
        return {each.name: self._operation(each) for each in self._functions}

    def _operation(self, function: VisaFunction) -> Operation:
        moves = self._kind_of(function.name, function.kind) != "query"

        def work(**given: Any) -> Any:
            self._check_arguments(function, given)
            with self._bus:
                self._recover(NotBegun)
            for command in function.writes:
                self._write(function.filled(command, given), command)
            answer = None if function.ask is None else self._answer(function, given)
            if function.until:
                self._await_end(function, given)
            if moves and self._errors:
                self._check_errors(function.name)
            return answer

        return Operation(work, Described(function.description, function.parameters), function.kind)

    def _check_arguments(self, function: VisaFunction, given: Mapping[str, Any]) -> None:
        unknown = [name for name in given if name not in function.parameters]
        missing = [name for name, spec in function.parameters.items() if name not in given and "value" not in spec]
        if unknown or missing:
            fault = f"takes no {', '.join(unknown)}" if unknown else f"needs {', '.join(missing)}"
            raise TypeError(f"{function.name} {fault}; it takes: {', '.join(function.parameters) or 'nothing'}")

    def _answer(self, function: VisaFunction, given: Mapping[str, Any]) -> Any:
        asked = function.ask or ""
        command = function.filled(asked, given)
        if not function.is_block:
            return function.parsed(self._ask(command, asked))
        with self._exchange(asked):
            return plain(self._resource.query_binary_values(command, datatype=function.datatype))

    def _await_end(self, function: VisaFunction, given: Mapping[str, Any]) -> None:
        asked = function.until["ask"]
        while not function.is_over(self._ask(function.filled(asked, given), asked)):
            time.sleep(function.until["every"])

    def _check_errors(self, name: str) -> None:
        found: list[str] = []
        while len(found) < _MOST_ERRORS:
            entry = self._ask(self._errors, self._errors).strip()
            if re.match(r"[+-]?0(?!\d)", entry):
                break
            found.append(entry)
        if found:
            raise RuntimeError(f"{name}: the instrument reports {'; '.join(found)}")

    # The bus.

    def _write(self, command: str, shown: str) -> None:
        with self._exchange(shown):
            self._resource.write(command)

    def _ask(self, command: str, shown: str) -> str:
        with self._exchange(shown):
            return self._resource.query(command)

    @contextmanager
    def _exchange(self, shown: str) -> Iterator[None]:
        """`shown` is the command without values, for the error."""
        from pyvisa.errors import VisaIOError  # type: ignore[import-not-found]

        with self._bus:
            self._recover(RuntimeError)
            # A stop can end this exchange at any place too.
            self._may_answer_late = True
            try:
                yield
            except VisaIOError as error:
                raise RuntimeError(f"{shown}: {error.description or error}") from error
            except OSError as error:
                raise RuntimeError(f"{shown}: {self._what} is lost: {error}") from error
            self._may_answer_late = False

    def _recover(self, failure: type[Exception]) -> None:
        """After an exchange that failed: an answer that came too late must not be taken for that of the next question.

        A socket is opened again: a new connection has no old answers, and pyvisa-py never ends to clear one that the instrument has closed.
        """
        if not self._may_answer_late:
            return
        try:
            if self._is_simulated or not self._resource_name.upper().endswith("::SOCKET"):
                self._resource.clear()
                return
        except Exception as error:
            self.log.debug("the resource cannot be cleared: %s", error)
        try:
            self._disconnect()
            self._connect()
        except Exception as error:
            self._disconnect()
            self._may_answer_late = True
            raise failure(
                f"{self._what} is not connected: {error}. Nothing was sent, and the next call connects again"
            ) from error

    def _disconnect(self) -> None:
        resource, self._resource = self._resource, None
        if resource is not None:
            try:
                resource.close()
            except Exception as error:
                self.log.debug("the resource cannot be closed: %s", error)

    def _known_stops(self) -> list[Any]:
        return [self._make_safe] if self._safe_state else []

    def _make_safe(self) -> None:
        # A read that hangs does not hold up the safe state.
        has_bus = self._bus.acquire(timeout=_BUS_PATIENCE_S)
        try:
            if self._resource is None:
                raise RuntimeError(f"nothing was sent to {self._what}: it is not connected")
            for command in self._safe_state:
                self._resource.write(command)
        except OSError as error:
            raise RuntimeError(f"{self._what} was not made safe, because it is lost: {error}") from error
        finally:
            if has_bus:
                self._bus.release()

    def _close(self) -> None:
        try:
            if self._resource is not None:
                self._resource.close()
        finally:
            self._resource = None
            if self._simulation is not None:
                self._simulation.remove()
