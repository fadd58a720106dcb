"""The names of the SiLA 2 part of EOS. Code that only imports them loads; code that uses them fails with a sentence."""

from __future__ import annotations

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class SilaNotSupportedError(NotImplementedError):
    """The SiLA 2 part of EOS does not run here."""


def _refuse(name: str) -> Any:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise SilaNotSupportedError(
            f"{name} cannot run here: the service has no SiLA 2 part of EOS. "
            "Connect with the library sila2 in _initialize of the device, and let tasks call functions of the device"
        )

    return refuse


class SilaDeviceMixin:
    sila_add_server = _refuse("sila_add_server")
    sila_add_server_connection = _refuse("sila_add_server_connection")
    sila_start_all = _refuse("sila_start_all")
    sila_start_server = _refuse("sila_start_server")
    sila_stop_all = _refuse("sila_stop_all")
    sila_stop_server = _refuse("sila_stop_server")
    sila_get_status = _refuse("sila_get_status")
    get_sila_endpoint = _refuse("get_sila_endpoint")
    get_all_sila_endpoints = _refuse("get_all_sila_endpoints")
    list_sila_servers = _refuse("list_sila_servers")


class SilaClientContext:
    connect = staticmethod(_refuse("SilaClientContext.connect"))
    create_client = staticmethod(_refuse("SilaClientContext.create_client"))
