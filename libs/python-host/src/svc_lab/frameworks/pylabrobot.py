"""Devices of PyLabRobot (https://pylabrobot.org): every machine that it can drive."""

from __future__ import annotations

import inspect
import typing
from typing import Any, Callable, Optional

from . import labware
from .calls import LoopRunner
from .construct import Converter, built, hints_of, load, parameters_of
from .device import FrameworkDevice, Operation
from .introspect import Described, methods_of, names_of, needs_arguments
from .simulators import arguments_for, check_simulator, forbid_instruments, is_simulator, simulator_of
from .values import plain

FRAMEWORK = "pylabrobot"
_OWN_KINDS = {"place_labware": "idempotent", "remove_labware": "idempotent", "labware_state": "query"}
_STOPS = ("emergency_stop", "halt", "stop_shaking", "turn_off", "deactivate", "deactivate_block", "deactivate_lid")
"""Methods of machines that end a motion or a heating and take no arguments, in the order of their calls."""


class PylabrobotDevice(FrameworkDevice):
    """A machine of PyLabRobot. Its functions are the public methods of the machine.

    Init parameters: `class` and `arguments` of the machine; `simulate`; `children`, the resources on its deck; `queries`,
    `idempotent` and `timeouts` of functions.
    """

    async def _initialize(self, parameters: dict[str, Any]) -> None:
        self._read_settings(parameters, ("children",))
        self._runner = LoopRunner()
        self._placed: dict[str, dict[str, Any]] = {}
        self._converter = Converter(self._find)
        self._machine: Any = None
        machine = load(parameters["class"], FRAMEWORK)
        labware.track()
        if self._is_simulated:
            forbid_instruments()
        self._machine = self._build({**parameters, "class": machine}, "init_parameters")
        self._check_machine(self._machine)
        for child in parameters.get("children", []):
            self._add_child(self._root, child)
        # What is wrong with the lists of functions shall be said before the instrument is touched.
        self._prepare()
        await self._machine.setup()

    async def _cleanup(self) -> None:
        if self._machine is not None and self._machine.setup_finished:
            await self._machine.stop()

    def _report(self) -> dict[str, Any]:
        backend = type(self._machine.backend)
        return {
            "class": f"{type(self._machine).__module__}.{type(self._machine).__name__}",
            "backend": backend.__name__,
            "simulated": self._is_simulated,
            "labware": sorted(self._placed),
        }

    @property
    def _root(self) -> Any:
        """The resource on which labware stands: the deck, else the machine; None: the machine holds no labware."""
        deck = getattr(self._machine, "deck", None)
        return deck if deck is not None else self._machine if hasattr(self._machine, "get_all_children") else None

    # Making the machine.

    def _build(self, spec: dict[str, Any], where: str) -> Any:
        """Makes the object of `{class, arguments, children}`, with the simulator of a machine if the device is simulated."""
        from pylabrobot.machines.machine import Machine  # type: ignore[import-not-found]

        made = spec["class"] if callable(spec["class"]) else load(spec["class"], FRAMEWORK)
        given = built(spec.get("arguments", {}), f"{where}.arguments", self._make_part)
        if not (isinstance(made, type) and issubclass(made, Machine)):
            return self._with_children(made(**self._converter.arguments(made, given)), spec)
        if self._is_simulated:
            self._simulate(made, given)
        machine = made(**self._converter.arguments(made, given))
        if self._is_simulated and not self._is_accepted(machine.backend):
            machine.backend = self._simulator(type(machine.backend), given)
        if self._is_simulated:
            check_simulator(type(machine.backend), _backend_asked_by(made), made)
        return machine

    def _make_part(self, spec: dict[str, Any], where: str) -> Any:
        found = load(spec["class"], FRAMEWORK)
        if self._is_simulated and _is_backend(found):
            # The instrument is not even made.
            return self._simulator(found, spec.get("arguments", {}))
        return self._build({**spec, "class": found}, where)

    def _with_children(self, made: Any, spec: dict[str, Any]) -> Any:
        for child in spec.get("children", []):
            self._add_child(made, child)
        return made

    def _add_child(self, parent: Any, child: Any) -> None:
        if not isinstance(child, dict) or "class" not in child:
            raise ValueError(f"children has {child!r}: each child has a class, arguments and at")
        labware.assign(parent, self._build(child, "children"), child.get("at"))

    def _simulate(self, made: type, given: dict[str, Any]) -> None:
        """Adds the backend to the arguments of a machine if it takes one and none is given."""
        takes = {each.name for each in parameters_of(made)}
        if "backend" in takes and "backend" not in given:
            asked = _backend_asked_by(made)
            if not _is_backend(asked):
                raise ValueError(f"{made.__name__} does not say which backend it needs: name one in arguments.backend")
            given["backend"] = self._simulator(asked, {})

    def _simulator(self, backend: Any, given: dict[str, Any]) -> Any:
        own = self._settings["simulate"]
        if own is not True:
            if "class" not in own:
                raise ValueError(
                    "init_parameters.simulate has no class: name the class of the simulator, or write true"
                )
            made = load(own["class"], FRAMEWORK)
            return made(**self._converter.arguments(made, own.get("arguments", {})))
        made = simulator_of(backend)
        return made(**self._converter.arguments(made, arguments_for(made, given)))

    def _is_accepted(self, backend: Any) -> bool:
        own = self._settings["simulate"]
        return is_simulator(type(backend)) or (own is not True and isinstance(backend, load(own["class"], FRAMEWORK)))

    def _check_machine(self, machine: Any) -> None:
        if not all(hasattr(machine, name) for name in ("setup", "stop", "backend")):
            raise TypeError(f"{self._settings['class']} is no machine of PyLabRobot: it has no setup, stop and backend")

    # Functions.

    def _operations(self) -> dict[str, Operation]:
        from pylabrobot.machines.machine import Machine  # type: ignore[import-not-found]
        from pylabrobot.resources import Resource  # type: ignore[import-not-found]

        # What every resource can do is about labware, not about the machine.
        methods = {
            name: method
            for name, method in methods_of(self._machine, names_of(Resource, Machine)).items()
            if not method.__module__.startswith("pylabrobot.resources")
        }
        own = (self.place_labware, self.remove_labware, self.labware_state) if self._root is not None else ()
        methods.update({method.__name__: method for method in own})
        return {
            name: Operation(
                self._caller(method), Described.of_method(method, self._is_named), _OWN_KINDS.get(name, "effect")
            )
            for name, method in methods.items()
        }

    def _is_named(self, hint: type) -> bool:
        from pylabrobot.resources import Resource  # type: ignore[import-not-found]

        return issubclass(hint, Resource)

    def _caller(self, method: Callable[..., Any]) -> Callable[..., Any]:
        async def call(**given: Any) -> Any:
            value = method(**self._converter.arguments(method, given))
            return plain(await value if inspect.isawaitable(value) else value, _without_objects)

        return call

    def _find(self, text: str, hint: Any) -> list[Any] | None:
        from pylabrobot.resources import Resource  # type: ignore[import-not-found]

        if not (isinstance(hint, type) and issubclass(hint, Resource)) or self._root is None:
            return None
        return labware.named(self._root, text)

    def _known_stops(self) -> list[Callable[..., Any]]:
        """One with arguments is called by nobody here, because nobody knows them."""
        methods = [getattr(self._machine, name, None) for name in _STOPS]
        return [each for each in methods if callable(each) and not needs_arguments(each)]

    # Labware.

    def place_labware(
        self,
        name: str,
        definition: str,
        at: Optional[dict] = None,  # noqa: UP045 -- Python 3.9 must be able to resolve the hints
        state: Optional[dict] = None,  # noqa: UP045
    ) -> dict[str, Any]:
        """Puts labware where it stands and sets what is in it. Labware of that name that stands elsewhere is taken away.

        Args:
            name: Name of the labware
            definition: Path of its definition, as in pylabrobot.resources.Cor_96_wellplate_360ul_Fb
            at: Where it stands, as in {"on": "plates", "site": 0}; left out: on the machine
            state: What is in it, as labware_state returns it; left out: as it comes
        """
        place = at or {}
        asked = {"definition": definition, "at": place}
        is_new = self._placed.get(name) != asked
        if is_new:
            made = labware.definition(definition)(name=name)
            if name in self._placed:
                self.remove_labware(name)
            parent = labware.resource_of(self._root, place["on"]) if "on" in place else self._root
            labware.assign(
                parent, made, place.get("site", {key: each for key, each in place.items() if key != "on"} or None)
            )
            self._placed[name] = asked
        resource = labware.resource_of(self._root, name)
        if state is not None:
            labware.load_state(resource, state)
        if is_new or state is not None:
            self._load_contents(resource, (state or {}).get("contents", {}))
        return self.labware_state(name)

    def remove_labware(self, name: str) -> None:
        """Takes labware off that place_labware has put there. Does nothing if it is not there.

        Args:
            name: Name of the labware
        """
        if self._placed.pop(name, None) is not None:
            labware.resource_of(self._root, name).unassign()

    def labware_state(self, name: str) -> dict[str, Any]:
        """What is in labware: tips, volumes (ul) by position, or volume (ul).

        Args:
            name: Name of the labware
        """
        resource = labware.resource_of(self._root, name)
        contents = getattr(self._machine.backend, "contents_of", None)
        return {**labware.state_of(resource), **({} if contents is None else {"contents": contents(resource)})}

    def _load_contents(self, resource: Any, contents: dict[str, Any]) -> None:
        """Tells a simulator that keeps more than PyLabRobot what is in labware."""
        load_contents = getattr(self._machine.backend, "load_contents", None)
        if load_contents is not None:
            load_contents(resource, contents)


def _is_backend(found: Any) -> bool:
    from pylabrobot.machines.backend import MachineBackend  # type: ignore[import-not-found]

    return isinstance(found, type) and issubclass(found, MachineBackend)


def _backend_asked_by(machine: type) -> Any:
    hint = hints_of(machine).get("backend")
    options = [each for each in typing.get_args(hint) if each is not type(None)]
    return options[0] if len(options) == 1 else hint


def _without_objects(value: Any) -> Any:
    """Labware as its name, other objects of PyLabRobot as what they serialize to."""
    from pylabrobot.resources import Resource  # type: ignore[import-not-found]
    from pylabrobot.serializer import SerializableMixin  # type: ignore[import-not-found]

    if isinstance(value, Resource):
        return labware.name_of(value)
    return value.serialize() if isinstance(value, SerializableMixin) else value
