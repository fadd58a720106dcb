"""Labware of PyLabRobot: names in texts, definitions and states in JSON."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

from .construct import load

FRAMEWORK = "pylabrobot"
_NAMED = re.compile(r"([^\[\]]+)(?:\[([^\[\]]+)\])?")


def named(root: Any, text: str) -> list[Any]:
    """The resources that a text names below `root`: `plate_1`, `plate_1[A1]`, `plate_1[A1:H1]` or `plate_1[A1,C1:D1]`.

    Raises ValueError that names what is there.
    """
    match = _NAMED.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} names no labware: write plate_1, plate_1[A1] or plate_1[A1:H1]")
    resource = resource_of(root, match[1])
    if match[2] is None:
        return [resource]
    if not hasattr(resource, "get_items"):
        raise ValueError(f"{match[1]} has no positions such as {match[2]}: it is a {type(resource).__name__}")
    found: list[Any] = []
    for part in match[2].split(","):
        try:
            found.extend(resource[part.strip()])
        except (IndexError, KeyError, ValueError):
            raise ValueError(f"{match[1]} has no position {part.strip()}") from None
    return found


def resource_of(root: Any, name: str) -> Any:
    """The resource with a name, below `root` or `root` itself."""
    from pylabrobot.resources import ResourceNotFoundError  # type: ignore[import-not-found]

    try:
        return root.get_resource(name)
    except ResourceNotFoundError:
        known = sorted(each.name for each in root.get_all_children() if not is_position(each))
        raise ValueError(f"there is no labware {name} here; there is: {', '.join(known) or 'nothing'}") from None


def name_of(resource: Any) -> str:
    """The text that names a resource."""
    if is_position(resource):
        return f"{resource.parent.name}[{resource.parent.get_child_identifier(resource)}]"
    return resource.name


def is_position(resource: Any) -> bool:
    """Whether a resource is a well, a tip spot or a tube position of another one."""
    from pylabrobot.resources import ItemizedResource  # type: ignore[import-not-found]

    return isinstance(resource.parent, ItemizedResource) and resource.name in resource.parent._ordering.values()


def definition(path: Any) -> Any:
    """The definition of labware in PyLabRobot that a path names, such as `pylabrobot.resources.Cor_96_wellplate_360ul_Fb`.

    A call may name no other class, because whoever may call a function must not run any other code. Raises ValueError.
    """
    found = load(path, FRAMEWORK) if isinstance(path, str) and path.startswith("pylabrobot.resources.") else None
    if found is None or not str(getattr(found, "__module__", "")).startswith("pylabrobot.resources"):
        raise ValueError(f"definition is {path!r}: a call may name definitions of pylabrobot.resources only")
    return found


def assign(parent: Any, child: Any, at: Any) -> None:
    """Puts a resource onto another one.

    `at` is the number of a site of a carrier, `{slot: 3}` of a deck with slots, `{rails: 5}` of a Hamilton deck,
    `{location: {x: 0, y: 0, z: 0}}` of any deck, or None where there is one place.
    """
    from pylabrobot.resources import Coordinate  # type: ignore[import-not-found]

    if at is None:
        parent.assign_child_resource(child)
    elif isinstance(at, int) and not isinstance(at, bool):
        parent[at] = child
    elif not isinstance(at, dict):
        raise ValueError(
            f"at is {at!r}: it is the number of a site, or names such as {{slot: 3}}, {{rails: 5}} or {{location: …}}"
        )
    elif "slot" in at and hasattr(parent, "assign_child_at_slot"):
        parent.assign_child_at_slot(child, **at)
    else:
        places = {name: Coordinate(**value) if name == "location" else value for name, value in at.items()}
        taken = inspect.signature(parent.assign_child_resource).parameters
        unknown = [name for name in places if name not in taken]
        if unknown:
            raise ValueError(
                f"at has {', '.join(unknown)}, which {parent.name} does not know: it takes {', '.join(taken)}"
            )
        parent.assign_child_resource(child, **places)


def state_of(resource: Any) -> dict[str, Any]:
    """What is in labware: `tips`, the positions with a tip; `volumes` in ul by position; `volume` of a vessel in ul."""
    from pylabrobot.resources import Container, ItemizedResource, TipRack  # type: ignore[import-not-found]

    if isinstance(resource, Container):
        return {"volume": resource.tracker.get_used_volume()}
    if not isinstance(resource, ItemizedResource):
        return {}
    items = list(zip(resource._ordering, resource.get_all_items()))
    if isinstance(resource, TipRack):
        return {"tips": [position for position, each in items if each.has_tip()]}
    volumes = {position: each.tracker.get_used_volume() for position, each in items if isinstance(each, Container)}
    return {"volumes": {position: volume for position, volume in volumes.items() if volume != 0}}


def load_state(resource: Any, state: dict[str, Any]) -> None:
    """Sets what `state_of` reads. What the state does not mention is empty."""
    from pylabrobot.resources import Container, ItemizedResource, TipRack  # type: ignore[import-not-found]

    if isinstance(resource, Container):
        resource.tracker.set_volume(float(state.get("volume", 0)))
        return
    if not isinstance(resource, ItemizedResource):
        return
    items = dict(zip(resource._ordering, resource.get_all_items()))
    tips, volumes = state.get("tips"), state.get("volumes", {})
    unknown = [position for position in [*(tips or []), *volumes] if position not in items]
    if unknown:
        raise ValueError(f"the state of {resource.name} has {', '.join(unknown[:5])}, which are no positions of it")
    if isinstance(resource, TipRack):
        if tips is not None:
            resource.set_tip_state({position: position in set(tips) for position in items})
        return
    for position, each in items.items():
        if isinstance(each, Container):
            each.tracker.set_volume(float(volumes.get(position, 0)))


def track() -> None:
    """Lets PyLabRobot keep account of volumes and tips, and refuse what they do not allow."""
    resources = importlib.import_module("pylabrobot.resources")
    resources.set_volume_tracking(True)
    resources.set_tip_tracking(True)
