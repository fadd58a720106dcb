"""Instruments that pyvisa-sim simulates (https://pyvisa.readthedocs.io/projects/pyvisa-sim)."""

from __future__ import annotations

import importlib.resources
import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from .construct import demand

_SPEC_VERSION = "1.1"
KEYS = ("file", "devices", "resources", "spec")
"""Keys of the init parameter `simulate` that describe a simulation by pyvisa-sim."""


class VisaSimulation:
    """A definition of pyvisa-sim: a file, or the same as a part of `lab.yml`."""

    def __init__(self, definition: Mapping[str, Any], where: str = "init_parameters.simulate") -> None:
        """`definition` is `{file: <path>}`, `{file: "<module>:<name>"}`, or what such a file has: `{devices, resources}`.

        Raises ValueError, in one sentence, if it is none of them, and ModuleNotFoundError without pyvisa-sim.
        """
        demand("pyvisa_sim", "pyvisa-sim", where)
        unknown = [name for name in definition if name not in KEYS]
        if unknown or not ("file" in definition or {"devices", "resources"} <= set(definition)):
            raise ValueError(
                f"{where} has {', '.join(map(str, definition)) or 'nothing'}: a simulation by pyvisa-sim has file, or devices and resources"
            )
        self._is_own = "file" not in definition
        self._path = _written(definition) if self._is_own else _path_of(definition["file"], where)
        self._where = where
        self._data = _read(self._path, where)

    def remove(self) -> None:
        """Removes the file that was written. Call it when the resource is closed: pyvisa-sim may read it again until then."""
        if self._is_own and os.path.exists(self._path):
            os.remove(self._path)

    @property
    def library(self) -> str:
        """The name of the VISA library for pyvisa."""
        return f"{self._path}@sim"

    def resource(self, wanted: Any = None) -> str:
        """The name of the simulated resource: the one of the instrument if the definition has it, else the first one."""
        names = list(self._data.get("resources") or {})
        if not names:
            raise ValueError(
                f"{self._where} has no resources: write one, as in {{'GPIB::1::INSTR': {{device: my_device}}}}"
            )
        return wanted if wanted in names else names[0]

    def terminations(self, resource: str) -> dict[str, str]:
        """The line ends of a resource, as arguments for `open_resource` of pyvisa."""
        from pyvisa import rname  # type: ignore[import-not-found]

        name = rname.ResourceName.from_string(resource)
        device = (self._data.get("devices") or {}).get(self._data["resources"][resource].get("device"), {})
        ends = (device.get("eom") or {}).get(f"{name.interface_type} {name.resource_class}", {})
        found = {"write_termination": ends.get("q", "\n"), "read_termination": ends.get("r", "\n")}
        # pyvisa-sim reads `\n` in a text of a file as a line end too.
        return {key: end.replace("\\r", "\r").replace("\\n", "\n") for key, end in found.items()}


def _path_of(file: Any, where: str) -> str:
    if not isinstance(file, str):
        raise ValueError(
            f"{where}.file is {file!r}: it is a path, or a file beside a module, as in my_lab.sims:psu.yaml"
        )
    module, colon, name = file.rpartition(":")
    # `C:\sims\psu.yaml` is a path.
    path = str(importlib.resources.files(module) / name) if colon and len(module) > 1 else file
    if not os.path.isfile(path):
        raise ValueError(f"{where}.file is {file}: there is no such file")
    return path


def _written(definition: Mapping[str, Any]) -> str:
    """Path of a new file. JSON is YAML too."""
    with tempfile.NamedTemporaryFile("w", prefix="svc-sim-", suffix=".yaml", delete=False, encoding="utf-8") as file:
        json.dump({"spec": _SPEC_VERSION, **definition}, file)
    return file.name


def _read(path: str, where: str) -> dict[str, Any]:
    import yaml  # type: ignore[import-untyped]

    with open(path, encoding="utf-8") as file:
        data = yaml.load(file, Loader=yaml.BaseLoader)
    if not isinstance(data, dict):
        raise ValueError(f"{where} is {path}: that file is no definition of pyvisa-sim")
    return data
