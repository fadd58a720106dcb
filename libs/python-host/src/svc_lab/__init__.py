"""What the code of devices and tasks imports."""

from .device import BaseDevice, CallInDoubt, NotBegun
from .functions import effect, idempotent, query
from .task import Aborted, AbortSignal, BaseTask, DeviceError, DeviceHandle, InputFile, Resource

__all__ = [
    "AbortSignal",
    "Aborted",
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
