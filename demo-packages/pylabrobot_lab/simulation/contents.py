"""What really is in labware, as JSON: the field `contents` of the state of labware."""

from __future__ import annotations

from typing import Any

from .dye import Liquid


class Contents:
    """The liquids of all containers of a simulator, by the name of the container."""

    def __init__(self) -> None:
        self._liquids: dict[str, Liquid] = {}

    def of(self, container: Any) -> Liquid:
        """A container that nobody described holds water: as much as PyLabRobot believes."""
        if container.name not in self._liquids:
            self._liquids[container.name] = Liquid(volume=container.tracker.volume)
        return self._liquids[container.name]

    def contents_of(self, resource: Any) -> dict[str, Any]:
        return {
            position: {"volume": round(liquid.volume, 4), "dye": round(liquid.dye, 6), "foam": round(liquid.foam, 6)}
            for position, liquid in ((each, self.of(container)) for each, container in containers(resource))
            if liquid.volume > 0
        }

    def load_contents(self, resource: Any, contents: dict[str, Any]) -> None:
        for position, container in containers(resource):
            self._liquids.pop(container.name, None)
            if position in contents:
                self._liquids[container.name] = Liquid(**contents[position])


def containers(resource: Any) -> list[tuple[str, Any]]:
    """The wells of a plate with their positions."""
    from pylabrobot.resources import Plate

    if not isinstance(resource, Plate):
        return []
    return [(resource.get_child_identifier(well), well) for well in resource.get_all_items()]
