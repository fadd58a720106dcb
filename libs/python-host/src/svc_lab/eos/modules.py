"""The modules `eos.…` and the names in each of them."""

from __future__ import annotations

import importlib.machinery
import sys

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_MODULES: dict[str, tuple[str, str]] = {
    "eos": ("declared", "Context Device File Param Resource task"),
    "eos.devices.base_device": ("device", "BaseDevice DeviceStatus register_async_exit_callback"),
    "eos.devices.exceptions": (
        "errors",
        "EosDeviceError EosDeviceStateError EosDeviceInitializationError EosDeviceCleanupError",
    ),
    "eos.integrations.sila": ("sila", "SilaClientContext SilaDeviceMixin"),
    "eos.integrations.sila.sila_client_context": ("sila", "SilaClientContext"),
    "eos.integrations.sila.sila_device_mixin": ("sila", "SilaDeviceMixin"),
    "eos.logging.logger": ("logger", "LogLevel Logger log"),
    "eos.optimization.abstract_sequential_optimizer": ("optimizer", "AbstractSequentialOptimizer"),
    "eos.optimization.beacon_optimizer": ("beacon", "BeaconOptimizer"),
    "eos.optimization.exceptions": ("errors", "EosCampaignOptimizerDomainError"),
    "eos.optimization.sequential_bayesian_optimizer": ("optimizer", "BayesianSequentialOptimizer"),
    "eos.resources.entities.resource": ("resource", "Resource"),
    "eos.resources.exceptions": ("errors", "EosResourceError EosResourceStateError EosResourceAllocationError"),
    "eos.tasks.base_task": ("task", "BaseTask"),
    "eos.tasks.exceptions": (
        "errors",
        "EosTaskError EosTaskValidationError EosTaskInputResolutionError EosTaskStateError EosTaskExistsError "
        "EosTaskExecutionError EosTaskCancellationError EosTaskResourceAllocationError",
    ),
    "eos.tasks.file": ("task", "File"),
    "eos.tasks.task_definition": ("declared", "Context Param task"),
    "eos.utils.ray_utils": ("task", "RayActorWrapper"),
}
"""Name of a module to its namesake in this folder and the names that it has."""

_PACKAGES = {
    ".".join(parts[:depth]) for parts in (name.split(".") for name in _MODULES) for depth in range(1, len(parts))
}


def find_spec(name: str) -> Any:
    """The spec of a module of EOS. Raises ModuleNotFoundError that says what there is if this library has no such module."""
    if name in _MODULES or name in _PACKAGES:
        return importlib.machinery.ModuleSpec(name, _Loader, is_package=name in _PACKAGES)  # type: ignore[arg-type]
    raise ModuleNotFoundError(
        f"{name} is a part of EOS that does not exist here: packages can import {', '.join(sorted(_MODULES))}",
        name=name,
    )


class _Loader:
    @staticmethod
    def create_module(spec: Any) -> None:
        return None

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        place, names = _MODULES.get(module.__name__, ("", ""))
        if place:
            source = f"{__package__}.{place}"
            __import__(source)
            for name in names.split():
                setattr(module, name, getattr(sys.modules[source], name))
