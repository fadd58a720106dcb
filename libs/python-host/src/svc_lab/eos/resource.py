"""Resources, and how they travel between tasks and devices."""

from __future__ import annotations

import copy
import enum

from .. import task as native

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FIELDS = ("name", "type", "lab", "meta")


class Resource(native.Resource):
    """A thing that tasks use and pass on, such as a beaker."""

    __slots__ = ("lab",)

    resource_type: str | None = None
    """Declared by EOS 0.31 with the class, as in `class Beaker(Resource, type="beaker")`."""

    def __init_subclass__(cls, type: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if type is not None:
            cls.resource_type = type

    def __init__(self, name: str, type: str, lab: str | None = None, meta: dict[str, Any] | None = None) -> None:
        super().__init__(name, type, meta)
        self.lab = lab

    def model_dump(self) -> dict[str, Any]:
        return {field: copy.deepcopy(getattr(self, field)) for field in _FIELDS}

    def model_copy(self, *, update: dict[str, Any] | None = None, deep: bool = False) -> Resource:
        fields: dict[str, Any] = {field: getattr(self, field) for field in _FIELDS}
        return type(self)(**{**(copy.deepcopy(fields) if deep else fields), **(update or {})})

    @classmethod
    def model_validate(cls, value: Any) -> Resource:
        """A resource with the fields of a mapping or of another resource."""
        fields: dict[str, Any] = (
            value if isinstance(value, dict) else {field: getattr(value, field, None) for field in _FIELDS}
        )
        return cls(**{field: fields[field] for field in _FIELDS if fields.get(field) is not None})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Lets a model of pydantic have a field of this class."""
        from pydantic_core import core_schema  # type: ignore[import-not-found]

        return core_schema.is_instance_schema(cls)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Resource):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in _FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{field}={getattr(self, field)!r}' for field in _FIELDS)})"


def to_plain(value: object) -> Any:
    """A copy of a value in which each resource is the dict of its fields, and each member of an enumeration its value."""
    if isinstance(value, native.Resource):
        return {field: to_plain(getattr(value, field, None)) for field in _FIELDS}
    if isinstance(value, dict):
        return {key: to_plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(each) for each in value]
    if isinstance(value, enum.Enum):
        return to_plain(value.value)
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) and not isinstance(value, type) else value


def from_plain(value: Any) -> Any:
    """A copy of a value in which each dict with the fields of a resource, and no others, is a resource."""
    if isinstance(value, list):
        return [from_plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if set(value) == set(_FIELDS) and isinstance(value["name"], str) and isinstance(value["type"], str):
        return Resource(**value)
    return {key: from_plain(each) for key, each in value.items()}
