"""Serves devices over the API of EOS, by the sources of EOS: `eos_api.py SOURCE PORT DOSES`.

The controllers, the service behind them, the handler of errors and the base class of devices are those of EOS. Ray and the database
are left out: a device is an object in this process in place of an actor. Each dose appends a line to the file DOSES.
"""

import asyncio
import sys
import types
from typing import Any, ClassVar

SOURCE, PORT, DOSES = sys.argv[1:]
sys.path.insert(0, SOURCE)


def stand_in(name: str, **members: Any) -> None:
    """A module that EOS imports for the names of types only."""
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


class ConfigurationManager:
    labs: ClassVar[dict[str, Any]] = {}


class LabDeviceDef:
    def __init__(self, type_: str) -> None:
        self.type = type_

    def model_dump(self) -> dict[str, str]:
        return {"type": self.type}


class Orchestrator:
    pass


stand_in("eos.configuration.configuration_manager", ConfigurationManager=ConfigurationManager)
stand_in("eos.configuration.entities.lab_def", LabDeviceDef=LabDeviceDef)
stand_in("eos.devices.device_manager", DeviceManager=object)
stand_in("eos.utils.di.di_container", inject=lambda method: method)
stand_in("eos.orchestration.orchestrator", Orchestrator=Orchestrator)
stand_in("eos.database.abstract_sql_db_interface", AsyncDbSession=object)

import uvicorn
from eos.devices.base_device import BaseDevice
from eos.orchestration.services.lab_service import LabService
from eos.web_api.controllers.lab_controller import LabController
from eos.web_api.controllers.rpc_controller import RPCController
from eos.web_api.exception_handling import general_exception_handler
from litestar import Litestar, Router
from litestar.di import Provide


def note_dose(volume: float) -> None:
    with open(DOSES, "a") as doses:
        doses.write(f"{volume}\n")


class Pump(BaseDevice):
    halted = False

    async def _initialize(self, init_parameters: dict[str, Any]) -> None:
        pass

    async def _cleanup(self) -> None:
        pass

    async def _report(self) -> dict[str, Any]:
        return {"ready": True}

    async def dose(self, volume: float, seconds: float = 0.0) -> dict[str, float]:
        """Doses into the beaker."""
        self.halted = False
        note_dose(volume)
        for _ in range(int(seconds * 50)):
            if self.halted:
                raise RuntimeError("the pump was stopped")
            await asyncio.sleep(0.02)
        return {"dosed": volume}

    def level(self) -> int:
        return 80

    def explode(self) -> None:
        raise ValueError("the tube is blocked")

    def halt(self) -> None:
        self.halted = True


class Remote:
    """What Ray makes of an actor: each method has `.remote`."""

    def __init__(self, device: BaseDevice) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._device, name)

        async def remote(**given: Any) -> Any:
            value = method(**given)
            return await value if asyncio.iscoroutine(value) else value

        return types.SimpleNamespace(remote=remote)


class DeviceManager:
    def __init__(self, devices: dict[tuple[str, str], BaseDevice]) -> None:
        self._actors = {key: Remote(device) for key, device in devices.items()}

    def get_device_actor(self, lab_name: str, device_name: str) -> Remote:
        actor = self._actors.get((lab_name, device_name))
        if actor is None:
            raise RuntimeError(f"Device actor '{lab_name}.{device_name}' does not exist")
        return actor


ConfigurationManager.labs = {"small_lab": types.SimpleNamespace(devices={"pump_1": LabDeviceDef("pump")})}
orchestrator = Orchestrator()
orchestrator.labs = LabService(
    ConfigurationManager(), DeviceManager({("small_lab", "pump_1"): Pump("pump_1", "small_lab", "pump")})
)
api = Router(
    path="/api",
    route_handlers=[LabController, RPCController],
    dependencies={
        "orchestrator": Provide(lambda: orchestrator, sync_to_thread=False),
        "db": Provide(lambda: object(), sync_to_thread=False),
    },
)
app = Litestar(route_handlers=[api], exception_handlers={Exception: general_exception_handler}, openapi_config=None)
uvicorn.run(app, host="127.0.0.1", port=int(PORT), log_level="critical")
