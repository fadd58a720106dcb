"""The check of what `_execute` returns."""

from __future__ import annotations

from ..task import Resource
from .json_values import NotJson, check_size, kind_of, to_json, to_json_object

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_FORM = "return output_parameters, resources, files, each of which may be {}"


class CheckedResult:
    """The parts of a result that are right, and what is wrong with the rest, for the author."""

    def __init__(self, value: object) -> None:
        self.problems: list[str] = []
        parts: list[Any] = list(value) if isinstance(value, (tuple, list)) else []
        if len(parts) != 3:
            self.problems.append(f"_execute returned {kind_of(value)}: {_FORM}")
        words = ("output parameters", "output resources", "files")
        outputs, resources, files = (
            self._part(parts[index] if index < len(parts) else None, word, index < len(parts))
            for index, word in enumerate(words)
        )
        self.files = files
        self.output_parameters: dict[str, Any] = {}
        for name, output in outputs.items():
            self._keep(self.output_parameters, name, output, _output_value)
        self.output_resources: dict[str, Any] = {}
        for name, resource in resources.items():
            self._keep(self.output_resources, name, resource, _resource_value)
        try:
            check_size([self.output_parameters, self.output_resources], "What _execute returned, without its files,")
        except NotJson as error:
            self.problems.append(str(error))
            self.output_parameters = {}

    def _part(self, given: object, word: str, is_given: bool) -> Mapping[Any, Any]:
        if isinstance(given, dict):
            return given
        if is_given:
            self.problems.append(f"The {word} are {kind_of(given)}: {_FORM}")
        return {}

    def _keep(self, kept: dict[str, Any], name: object, value: object, copy: Callable[[str, object], Any]) -> None:
        try:
            if not isinstance(name, str):
                raise NotJson(f"_execute returned the name {name!r}: names are strings")
            kept[name] = copy(name, value)
        except NotJson as error:
            self.problems.append(str(error))


def _output_value(name: str, output: object) -> Any:
    if hasattr(output, "__await__"):
        raise NotJson(f"The output parameter {name} is {kind_of(output)}: await it")
    return to_json(output, f"the output parameter {name}", storable=True)


def _resource_value(slot: str, resource: object) -> dict[str, Any]:
    if not isinstance(resource, Resource) or not isinstance(resource.name, str) or not isinstance(resource.type, str):
        raise NotJson(
            f"The output resource {slot} is not a Resource: return the one that _execute was given, with its meta changed as needed"
        )
    meta = to_json_object(resource.meta, f"the meta of the output resource {slot}", storable=True)
    return {"name": resource.name, "type": resource.type, "meta": meta}
