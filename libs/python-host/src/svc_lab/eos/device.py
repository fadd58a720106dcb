"""The base class of devices of EOS."""

from __future__ import annotations

import asyncio
import enum
import inspect
from types import SimpleNamespace

from .. import device as native
from ..functions import query
from .errors import EosDeviceCleanupError, EosDeviceInitializationError
from .resource import from_plain, to_plain

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

_exit_callbacks: list[Callable[[], Awaitable[object]]] = []


def register_async_exit_callback(async_fn: Callable[..., Awaitable[object]], *args: Any, **kwargs: Any) -> None:
    """Lets a coroutine run at the end of the process of the device, after its `_cleanup`."""
    _exit_callbacks.append(lambda: async_fn(*args, **kwargs))


class BaseConfig:
    """The class `Device.Config`, made when an author extends it, so that only such code needs pydantic."""

    _model: Any = None

    def __get__(self, device: object, owner: object = None) -> Any:
        if BaseConfig._model is None:
            from pydantic import BaseModel  # type: ignore[import-not-found]

            BaseConfig._model = type(
                "Config", (BaseModel,), {"model_config": {"extra": "forbid"}, "__module__": __name__}
            )
        return BaseConfig._model


class DeviceStatus(enum.Enum):
    DISABLED = "DISABLED"
    IDLE = "IDLE"
    BUSY = "BUSY"
    ERROR = "ERROR"


class BaseDevice(native.BaseDevice):
    """A device of EOS. Extend it once per device type, in `devices/<type>/device.py`.

    Every public method is a function of the device, also an inherited one. One without a decorator is an effect. All
    methods run in one event loop, as in EOS, so a plain method must not wait for a coroutine of the device.
    """

    Config = BaseConfig()
    """The init parameters of a device of EOS 0.31, a model of pydantic."""
    device_type: str | None = None
    """Declared by EOS 0.31 with the class, as in `class Pump(Device, type="pump")`."""

    # EOS gives these names no meaning, so authors may use them.
    call_id: Any = None
    lab: Any = None
    log: Any = None
    state_folder: Any = None

    # EOS waits for a function however long it takes. A limit remains, so that a lost call ends one day.
    _svc_timeout_s = 86_400
    _svc_in_loop = True
    _svc_by_position = True

    _eos_is_declared = False

    def __init_subclass__(cls, type: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if type is not None:
            cls.device_type = type
            cls._eos_is_declared = True

    def __init__(self, device_name: str, lab_name: str, device_type: str | None = None) -> None:
        self._device_name = device_name
        self._lab_name = lab_name
        if device_type is not None:
            self.device_type = device_type
        self._status = DeviceStatus.DISABLED
        self._init_parameters: dict[str, Any] = {}
        self._lock = asyncio.Lock()

    async def initialize(self, init_parameters: dict[str, Any]) -> None:
        """Makes the device ready. Raises EosDeviceInitializationError if it is ready, or if `_initialize` fails."""
        async with self._lock:
            if self._status != DeviceStatus.DISABLED:
                raise EosDeviceInitializationError(f"Device {self._device_name} is already initialized.")
            try:
                await _ended(self._initialize(self._config_of(init_parameters)))
            except Exception as error:
                self._status = DeviceStatus.ERROR
                raise EosDeviceInitializationError(f"Error initializing device {self._device_name}: {error}") from error
            self._status = DeviceStatus.IDLE
            self._init_parameters = init_parameters

    def _config_of(self, init_parameters: dict[str, Any]) -> Any:
        """What `_initialize` gets. An empty init parameter of EOS 0.31 has the default of its model."""
        if not self._eos_is_declared:
            return init_parameters
        given = {name: value for name, value in init_parameters.items() if value is not None}
        has_model = any("Config" in vars(each) for each in type(self).__mro__ if each is not BaseDevice)
        return self.Config.model_validate(given) if has_model else SimpleNamespace(**given)

    async def _initialize(self, parameters: Any) -> None:
        pass

    async def _cleanup(self) -> None:
        pass

    async def _report(self) -> dict[str, Any]:
        return {}

    async def cleanup(self) -> None:
        """Leaves the device. Raises EosDeviceCleanupError if it is busy, or if `_cleanup` fails."""
        async with self._lock:
            if self._status == DeviceStatus.DISABLED:
                return
            if self._status == DeviceStatus.BUSY:
                raise EosDeviceCleanupError(f"Device {self._device_name} is busy. Cannot perform cleanup.")
            try:
                await _ended(self._cleanup())
            except Exception as error:
                self._status = DeviceStatus.ERROR
                raise EosDeviceCleanupError(f"Error cleaning up device {self._device_name}: {error}") from error
            self._status = DeviceStatus.DISABLED

    @query
    async def report(self) -> dict[str, Any]:
        return await _ended(self._report()) or {}

    async def enable(self) -> None:
        if self._status == DeviceStatus.DISABLED:
            await self.initialize(self._init_parameters)

    async def disable(self) -> None:
        if self._status != DeviceStatus.DISABLED:
            await self.cleanup()

    @query
    def get_status(self) -> dict[str, Any]:
        return {"name": self._device_name, "lab_name": self._lab_name, "status": self._status}

    @query
    def get_name(self) -> str:
        return self._device_name

    @query
    def get_lab_name(self) -> str:
        return self._lab_name

    @query
    def get_device_type(self) -> str | None:
        return self.device_type

    @query
    def get_init_parameters(self) -> dict[str, Any]:
        return self._init_parameters

    def get_available_functions(self) -> dict[str, Any]:
        """What is known of each function of the author, by its name."""
        return {name: _described(name, getattr(type(self), name)) for name in _public_members(type(self), BaseDevice)}

    @property
    def name(self) -> str:
        return self._device_name

    @property
    def lab_name(self) -> str:
        return self._lab_name

    @property
    def status(self) -> DeviceStatus:
        return self._status

    @property
    def init_parameters(self) -> dict[str, Any]:
        return self._init_parameters

    def _svc_start(self) -> None:
        context = self._svc_context
        assert context is not None
        names = (context.name, context.lab)
        self.__init__(*names if self._eos_is_declared else (*names, context.type))

    @classmethod
    def _svc_methods(cls) -> dict[str, Any]:
        # The agent alone begins and ends a device, so tasks cannot call initialize, cleanup, enable and disable.
        own = {name: vars(BaseDevice)[name] for name in _QUERIES}
        return {**own, **_public_members(cls, BaseDevice)}

    def _svc_take(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {name: from_plain(value) for name, value in arguments.items()}

    def _svc_give(self, value: object) -> object:
        return to_plain(value)

    async def _svc_initialize(self, parameters: dict[str, Any]) -> None:
        await self.initialize(parameters)

    async def _svc_report(self) -> dict[str, Any]:
        return await self.report()

    async def _svc_cleanup(self) -> None:
        await self.cleanup()
        for callback in _exit_callbacks:
            await callback()


_QUERIES = ("get_device_type", "get_init_parameters", "get_lab_name", "get_name", "get_status", "report")


async def _ended(value: Any) -> Any:
    """The result of a method that is a coroutine or plain."""
    return await value if inspect.isawaitable(value) else value


def _public_members(device_class: type, base: type) -> dict[str, Any]:
    """The methods of a class and of those between it and the base, without names that begin with `_`."""
    members: dict[str, Any] = {}
    for each in device_class.__mro__:
        if each is base:
            break
        for name, member in vars(each).items():
            is_method = inspect.isfunction(member) or isinstance(member, (staticmethod, classmethod))
            if is_method and not name.startswith("_"):
                members.setdefault(name, member)
    return members


def _described(name: str, method: Any) -> dict[str, Any]:
    signature = inspect.signature(method)
    return {
        "name": name,
        "parameters": [
            {
                "name": each.name,
                "type": _shown(each.annotation),
                "required": each.default is inspect.Parameter.empty,
                "default": None if each.default is inspect.Parameter.empty else str(each.default),
            }
            for each in signature.parameters.values()
            if each.name != "self"
        ],
        "return_type": _shown(signature.return_annotation),
        "docstring": inspect.getdoc(method) or "",
        "is_async": inspect.iscoroutinefunction(method),
    }


def _shown(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return "Any"
    return getattr(annotation, "__name__", None) or str(annotation).replace("typing.", "")
