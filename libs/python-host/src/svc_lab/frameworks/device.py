"""What the devices of all frameworks have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Callable, Union

from ..device import BaseDevice
from ..functions import effect, idempotent, query
from .calls import LoopRunner, ThreadRunner
from .introspect import Described, shorten_to_fit

_KINDS = {"effect": effect, "idempotent": idempotent, "query": query}
COMMON_SETTINGS = ("class", "arguments", "simulate", "queries", "idempotent", "timeouts", "only", "stops")


class Operation:
    """What a driver can do, before it is a function of a device."""

    __slots__ = ("described", "kind", "work")

    def __init__(self, work: Callable[..., Any], described: Described, kind: str = "effect") -> None:
        self.work = work
        """Takes and returns JSON. Its result may have to be awaited."""
        self.described = described
        self.kind = kind
        """The kind of the function if the init parameters do not list it."""


class FrameworkDevice(BaseDevice):
    """A device whose functions are what an object of a framework can do.

    A subclass makes the object in `_initialize` and calls `_prepare` when its operations are known. The init parameters `queries` and
    `idempotent` are lists of functions; every other function has the kind of its operation, which is an effect unless the framework
    says otherwise. `timeouts` has seconds by function. `only` has names or patterns of the functions that the device has. `stops` are
    functions that an emergency stop calls without arguments.
    """

    _runner: Union[ThreadRunner, LoopRunner]  # noqa: UP007 -- Python 3.9
    _settings: Mapping[str, Any]
    _offered: Mapping[str, Operation]

    def _operations(self) -> Mapping[str, Operation]:
        """What the driver can do, by the name of the function."""
        raise NotImplementedError

    def _known_stops(self) -> Sequence[Callable[..., Any]]:
        """Methods of the driver that stop the instrument and need no arguments."""
        return ()

    def _read_settings(
        self, parameters: Mapping[str, Any], known: tuple[str, ...] = (), without: tuple[str, ...] = ()
    ) -> None:
        """Raises ValueError that names what is wrong with the init parameters.

        `known` are those that only this framework has, `without` those of all frameworks that mean nothing here.
        """
        known = (*(name for name in COMMON_SETTINGS if name not in without), *known)
        unknown = [name for name in parameters if name not in known]
        if unknown:
            raise ValueError(
                f"init_parameters has {', '.join(unknown)}, which means nothing here: possible are {', '.join(known)}"
            )
        if "class" in known and not parameters.get("class"):
            raise ValueError("init_parameters has no class: name the class of the instrument")
        for name, kind, what in (
            ("arguments", dict, "arguments by name"),
            ("queries", list, "a list of functions"),
            ("idempotent", list, "a list of functions"),
            ("timeouts", dict, "seconds by function"),
            ("only", list, "a list of functions, or of patterns such as get_*"),
            ("stops", list, "a list of functions"),
        ):
            if not isinstance(parameters.get(name) or kind(), kind):
                raise ValueError(f"init_parameters.{name} must be {what}")
        if not isinstance(parameters.get("simulate"), (bool, dict, type(None))):
            raise ValueError("init_parameters.simulate must be true, false, or the class and arguments of a simulator")
        # An empty entry in a file is None.
        self._settings = {name: value for name, value in parameters.items() if value is not None}

    @property
    def _is_simulated(self) -> bool:
        return self._settings.get("simulate", False) is not False

    def _prepare(self) -> None:
        """Finds out what the driver can do, and whether it can be stopped. Raises ValueError about the lists of functions."""
        self._offered = self._operations()
        self._svc_functions()
        stops = [*(self._stop_of(name) for name in self._settings.get("stops", [])), *self._known_stops()]
        if stops:
            # A device without such a method tells the service that it cannot be stopped.
            self._stop = self._runner.stopper(stops)

    def _stop_of(self, name: str) -> Callable[..., Any]:
        operation = self._offered[name]
        needed = [key for key, spec in (operation.described.parameters or {}).items() if not _is_optional(spec)]
        if needed:
            raise ValueError(
                f"init_parameters.stops names {name}, which needs {', '.join(needed)}: nobody is there to say it"
            )
        return operation.work

    def _svc_functions(self) -> dict[str, Callable[..., Any]]:
        self._check_lists()
        chosen = self._chosen()
        shorten_to_fit({name: each.described for name, each in chosen.items()})
        functions: dict[str, Callable[..., Any]] = {}
        for name, operation in chosen.items():
            kind = self._kind_of(name, operation.kind)
            call = self._runner.wrap(name, operation.work, kind != "query")
            call.__name__ = call.__qualname__ = name
            about = operation.described
            timeout = self._settings.get("timeouts", {}).get(name)
            functions[name] = _KINDS[kind](timeout=timeout, description=about.description, parameters=about.parameters)(
                call
            )
        return functions

    def _chosen(self) -> Mapping[str, Operation]:
        patterns = self._settings.get("only", [])
        if not patterns:
            return self._offered
        return {
            name: each
            for name, each in self._offered.items()
            if any(fnmatchcase(name, pattern) for pattern in patterns)
        }

    def _kind_of(self, name: str, otherwise: str) -> str:
        if name in self._settings.get("queries", []):
            return "query"
        return "idempotent" if name in self._settings.get("idempotent", []) else otherwise

    def _check_lists(self) -> None:
        for setting in ("queries", "idempotent", "timeouts", "only", "stops"):
            unknown = [str(name) for name in self._settings.get(setting, []) if not self._has(name)]
            if unknown:
                raise ValueError(
                    f"init_parameters.{setting} names {', '.join(unknown)}, which {self._what} does not have; "
                    f"it has: {', '.join(self._offered) or 'no functions'}"
                )

    def _has(self, pattern: object) -> bool:
        return isinstance(pattern, str) and any(fnmatchcase(name, pattern) for name in self._offered)

    @property
    def _what(self) -> str:
        """Names the instrument in errors."""
        return str(self._settings.get("class", "the instrument"))


def _is_optional(spec: Mapping[str, Any]) -> bool:
    return spec.get("optional") is True or "value" in spec
