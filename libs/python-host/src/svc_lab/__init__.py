"""What the code of devices and tasks imports."""

from .device import Allocation, BaseDevice, CallInDoubt, NotBegun
from .functions import effect, idempotent, query
from .task import Aborted, AbortSignal, BaseTask, DeviceError, DeviceHandle, InputFile, Resource

__all__ = [
    "AbortSignal",
    "Aborted",
    "Allocation",
    "BaseDevice",
    "BaseTask",
    "CallInDoubt",
    "DeviceError",
    "DeviceHandle",
    "InputFile",
    "NotBegun",
    "Resource",
    "effect",
    "idempotent",
    "query",
]
