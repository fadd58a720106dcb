"""What packages of EOS import, so that their code runs here as it is.

The module `eos` and its parts resolve to this package, unless EOS itself is installed. Each class has the documented behaviour of
its namesake in EOS 0.9 to 0.31. `docs/guide/from-eos.md` lists the differences.
"""

from .device import BaseDevice, DeviceStatus, register_async_exit_callback
from .logger import log
from .resource import Resource
from .task import BaseTask, DeviceHandle, File

__all__ = [
    "BaseDevice",
    "BaseTask",
    "DeviceHandle",
    "DeviceStatus",
    "File",
    "Resource",
    "log",
    "register_async_exit_callback",
]
