"""How tasks keep the state of labware in the resources of the lab."""

from __future__ import annotations

from typing import Any


def place(device: Any, labware: Any, at: dict | None = None) -> None:
    """Puts labware onto a device, in the state that its resource remembers. `at` overrides the usual place."""
    meta = labware.meta
    device.place_labware(
        name=labware.name,
        definition=meta["definition"],
        at=meta["at"] if at is None else at,
        **({} if meta.get("state") is None else {"state": meta["state"]}),
    )
    keep(device, labware)


def replace(device: Any, labware: Any) -> None:
    """Takes a fresh piece in place of a used one. In this lab the stack of fresh ones never ends."""
    device.remove_labware(name=labware.name)
    labware.meta["state"] = labware.meta.get("fresh")
    labware.meta["used"] = labware.meta.get("used", 0) + 1
    place(device, labware)


def keep(device: Any, labware: Any) -> None:
    """Remembers in the resource what the device has in its labware."""
    labware.meta["state"] = device.labware_state(name=labware.name)


def volume_in(labware: Any, position: str = "A1") -> float:
    """Volume in ul at a position, as the resource remembers it."""
    return (labware.meta.get("state") or {}).get("volumes", {}).get(position, 0.0)
