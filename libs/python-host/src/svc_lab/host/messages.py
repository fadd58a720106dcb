"""Narrow checks of the messages that a host receives. `libs/contracts/src/messages/ipc.ts` declares them."""

from __future__ import annotations

import sys

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Shape = Mapping[str, tuple[str, ...]]

_OF_DEVICE: Shape = {"texts": ("lab", "name", "path"), "objects": ("module", "init_parameters")}
_CALL_ID: Shape = {"texts": ("call_id",)}
_OF_ALLOCATION: Shape = {"texts": ("call_id",), "objects": ("allocation",)}
_REASON: Shape = {"texts": ("reason",)}

TO_DEVICE: Mapping[str, Shape] = {
    "init": _OF_DEVICE,
    "call": {"texts": ("call_id", "function"), "objects": ("arguments",)},
    "allocated": _OF_ALLOCATION,
    "deallocated": _OF_ALLOCATION,
    "report": _CALL_ID,
    "reconcile": _OF_DEVICE,
    "stop": _REASON,
    "ping": {},
    "cleanup": {},
}
TO_TASK: Mapping[str, Shape] = {
    "run": {
        "texts": ("attempt_id", "label", "isolation", "path", "spool"),
        "objects": ("module", "devices", "parameters", "resources"),
    },
    "call_result": _CALL_ID,
    "call_failure": {"texts": ("call_id", "code"), "objects": ("error",)},
    "abort": _REASON,
}
TO_OPTIMIZER: Mapping[str, Shape] = {
    "make": {"texts": ("call_id", "protocol", "path"), "objects": ("module", "overrides", "runtime_params")},
    "tell": _CALL_ID,
    "propose": _CALL_ID,
    "configure": {"texts": ("call_id",), "objects": ("runtime_params",)},
    "best": _CALL_ID,
    "explain": _CALL_ID,
    "call_result": {"texts": ("call_id",), "objects": ("value",)},
    "call_failure": {"texts": ("call_id", "code"), "objects": ("error",)},
}


def python_version() -> str:
    """The version that executes this process, such as `3.11.2`. `platform` would take longer to load than the rest of the host."""
    return sys.version.split(maxsplit=1)[0]


def check_message(message: Mapping[str, Any], shapes: Mapping[str, Shape]) -> None:
    """Raises ValueError that names the fault of a message."""
    kind = message["type"]
    shape = shapes.get(kind)
    if shape is None:
        raise ValueError(f"A message from the parent has the type {kind}; known are {', '.join(shapes)}")
    for keys, wanted, what in (("texts", str, "a string"), ("objects", dict, "an object")):
        for key in shape.get(keys, ()):
            if not isinstance(message.get(key), wanted):
                raise ValueError(f'In a message "{kind}" from the parent, {key} is not {what}')
