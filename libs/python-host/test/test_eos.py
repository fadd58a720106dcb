import asyncio
import json
import os
import tempfile
import unittest

from svc_lab import BaseDevice, BaseTask
from svc_lab.device import DeviceContext
from svc_lab.functions import declared_functions
from svc_lab.host.package_code import PackageCode, class_in, forget, use
from svc_lab.host.task_result import CheckedResult
from svc_lab.task import AbortSignal, InputFile, TaskContext

PUMP = """
from eos.devices.base_device import BaseDevice, DeviceStatus
from eos.logging.logger import log
from eos.resources.entities.resource import Resource
from user.shelf.demo.common.units import ML


class Base(BaseDevice):
    def rinse(self, times: int = 1):
        return times


class Pump(Base):
    async def _initialize(self, init_parameters):
        self.log = [DeviceStatus.DISABLED, self.status]
        if init_parameters.get("broken"):
            raise ValueError("no port")

    async def _cleanup(self):
        pass

    async def _report(self):
        pass

    def fill(self, beaker: Resource, volume: float, unit=ML):
        beaker.meta["volume"] = volume
        return beaker, (volume, unit)

    @staticmethod
    def limit(of: str):
        return 25
"""
TASK = """
from eos.tasks.base_task import BaseTask


class Fill(BaseTask):
    async def _execute(
        self, devices: BaseTask.DevicesType, parameters: BaseTask.ParametersType, resources: BaseTask.ResourcesType, files
    ) -> BaseTask.OutputType:
        pump = devices["pump"]
        resources["beaker"], dosed = pump.fill(resources["beaker"], parameters["volume"], unit="ml")
        data = await files["raw"].read()
        return {"dosed": dosed[0], "at": pump.meta["location"], "run": self._protocol_run_name}, None, {"a": data}
"""
FILES = {
    "devices/pump/device.py": PUMP,
    "tasks/fill/task.py": TASK,
    "common/units.py": "ML = 'ml'\n",
    "tasks/none/task.py": TASK.split("    async", maxsplit=1)[0]
    + "    async def _execute(self, d, p, r):\n        return None\n",
    "tasks/sila/task.py": "from eos.integrations.sila import SilaClientContext\n",
    "tasks/other/task.py": "from eos.orchestration.orchestrator import Orchestrator\n",
}


class PackageOfEos(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        path = os.path.join(folder.name, "demo.json")
        with open(path, "w") as file:
            json.dump({"svc_python": 1, "package": "demo", "files": FILES}, file)
        self.code = PackageCode(path)
        use(self.code)
        self.addCleanup(forget, self.code)

    def device(self):
        hooks = ("_initialize", "_cleanup", "_report")
        device_class = class_in(self.code, "devices/pump/device.py", BaseDevice, hooks)
        device = device_class.__new__(device_class)
        device._svc_context = DeviceContext("pump_1", "lab", lambda: None, "pump")
        device._svc_start()
        return device

    def result_of(self, source, functions=None):
        """Runs a task against the pump, as the host does."""
        device = self.device()

        def call(handle, function, arguments, always_waits=False):
            json.dumps(arguments)
            return json.loads(json.dumps(device._svc_give(getattr(device, function)(**device._svc_take(arguments)))))

        raw = os.path.join(self.folder, "raw")
        with open(raw, "wb") as file:
            file.write(b"123")
        task_class = class_in(self.code, source, BaseTask, ("_execute",))
        known = list(declared_functions(type(device)).values()) if functions is None else functions
        about = {"lab": "lab", "name": "pump_1", "functions": known, "meta": {"location": "bench"}}
        pump = task_class._svc_handle_class("pump", about, call)
        beaker = task_class._svc_resource_class(name="b1", type="beaker", meta={"clean": True})
        task = task_class.__new__(task_class)
        files = {"raw": InputFile(raw, "raw.txt", 3, "", "text/plain")}
        task._svc_context = TaskContext(
            AbortSignal(), {"pump": pump}, {"volume": 5.0}, {"beaker": beaker}, files, label="run 1/fill"
        )
        task._svc_start()
        return CheckedResult(asyncio.run(task._svc_execute()))

    def test_has_devices_with_names_and_a_state(self):
        device = self.device()
        asyncio.run(device._svc_initialize({"port": 1}))
        shown = (device.name, device.lab_name, device.device_type, device.status.value, device.init_parameters)
        self.assertEqual(shown, ("pump_1", "lab", "pump", "IDLE", {"port": 1}))
        self.assertEqual(asyncio.run(device._svc_report()), {})
        asyncio.run(device._svc_cleanup())
        self.assertEqual(device.status.value, "DISABLED")
        with self.assertRaisesRegex(Exception, "Error initializing device pump_1: no port"):
            asyncio.run(device._svc_initialize({"broken": True}))

    def test_declares_every_public_method_as_an_effect_with_its_positions(self):
        declared = declared_functions(type(self.device()))
        effects = {name: each["positional"] for name, each in declared.items() if each["kind"] == "effect"}
        wanted = {"fill": ["beaker", "volume", "unit"], "limit": ["of"], "rinse": ["times"]}
        self.assertEqual(effects, wanted)
        self.assertNotIn("cleanup", declared)
        limits = [declared[name].get("timeout_s") for name in ("fill", "get_name")]
        self.assertEqual(limits, [86_400, None])

    def test_has_tasks_whose_calls_take_positions_and_resources(self):
        result = self.result_of("tasks/fill/task.py")
        self.assertEqual(result.problems, [])
        self.assertEqual(result.output_parameters, {"dosed": 5.0, "at": "bench", "run": "run 1"})
        beaker = {"name": "b1", "type": "beaker", "meta": {"clean": True, "volume": 5.0}}
        self.assertEqual(result.output_resources, {"beaker": beaker})
        self.assertEqual(result.files, {"a": b"123"})

    def test_gives_back_the_resources_of_a_task_that_returns_nothing(self):
        result = self.result_of("tasks/none/task.py")
        self.assertEqual((result.problems, list(result.output_resources)), ([], ["beaker"]))

    def test_cannot_call_by_position_what_is_not_known(self):
        with self.assertRaisesRegex(TypeError, "give each its name"):
            self.result_of("tasks/fill/task.py", functions=[{"name": "fill", "kind": "effect"}])

    def test_says_which_parts_of_eos_do_not_exist(self):
        with self.assertRaisesRegex(ImportError, "eos.orchestration is a part of EOS that does not exist here"):
            __import__("demo.tasks.other.task")
        __import__("demo.tasks.sila.task")
        from eos.integrations.sila import SilaClientContext

        with self.assertRaisesRegex(NotImplementedError, "cannot run here"):
            SilaClientContext.connect(None, None)


if __name__ == "__main__":
    unittest.main()
