import asyncio
import json
import os
import sys
import tempfile
import unittest

from svc_lab import BaseDevice, BaseTask
from svc_lab.device import DeviceContext
from svc_lab.functions import declared_functions
from svc_lab.host.package_code import PackageCode, class_in, forget, use
from svc_lab.host.task_result import CheckedResult
from svc_lab.task import AbortSignal, InputFile, TaskContext

try:
    import pydantic
except ImportError:
    pydantic = None
    sys.stderr.write("pydantic is not installed, so the tests of models of EOS 0.31 DO NOT RUN.\n")

FILES = {
    "resources.py": 'from eos import Resource\n\n\nclass Beaker(Resource, type="beaker"): ...\n',
    "devices/pump/device.py": '''
from eos import Device


class Pump(Device, type="pump"):
    """Pumps."""

    async def _initialize(self, config):
        self.port = config.port

    def fill(self, name: str, volume: float):
        return [name, volume, self.port]
''',
    "tasks/fill/task.py": '''
from eos import Context, File, Param, task
from demo.devices.pump.device import Pump
from demo.resources import Beaker


@task("Fill")
async def fill(
    pump: Pump, beaker: Beaker, context: Context, raw: File, spot: tuple[int, int] = Param((0, 0)), lid: "Beaker | None" = None
) -> None:
    """Fills a beaker."""
    beaker.meta["filled"] = [*pump.fill(beaker.name, 5), len(await raw.read()), spot == (1, 2), lid]
    beaker.meta["by"] = [type(beaker).__name__, context.protocol_run_name, context.task_name]
''',
    "devices/heater/device.py": """
from eos import Device


class Heater(Device, type="heater"):
    class Config(Device.Config):
        limit: float = 80
        name: str

    async def _initialize(self, config: Config):
        self.limit = config.limit
""",
    "tasks/report/task.py": """
from pathlib import Path
from pydantic import BaseModel
from eos import Param, task
from demo.resources import Beaker


class Outputs(BaseModel):
    mass: float = Param(unit="g", desc="How much")
    table: bytes = Param(file_name="table.csv")
    parts: dict[str, bytes] = {}
    big: Path | None = None
    beaker: Beaker


@task("Report")
async def report(beaker: Beaker) -> Outputs:
    return Outputs(mass=2, table=b"1,2", parts={"a.txt": b"a"}, beaker=beaker.model_copy(update={"meta": {"weighed": True}}))
""",
}


class DeclaredInPython(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "demo.json")
        with open(path, "w") as file:
            json.dump({"svc_python": 1, "package": "demo", "files": FILES}, file)
        self.raw = os.path.join(folder.name, "raw")
        with open(self.raw, "wb") as file:
            file.write(b"123")
        self.code = PackageCode(path)
        use(self.code)
        self.addCleanup(forget, self.code)

    def device(self, source, **parameters):
        device_class = class_in(self.code, source, BaseDevice, ("_initialize",))
        device = device_class.__new__(device_class)
        device._svc_context = DeviceContext("name_1", "lab", lambda: None, "of_the_lab")
        device._svc_start()
        asyncio.run(device._svc_initialize(parameters))
        return device

    def result_of(self, source, devices=None, **parameters):
        task_class = class_in(self.code, source, BaseTask, ("_execute",))
        beaker = task_class._svc_resource_class(name="b1", type="beaker", meta={})
        files = {"raw": InputFile(self.raw, "raw.txt", 3, "", "text/plain")}
        task = task_class.__new__(task_class)
        task._svc_context = TaskContext(
            AbortSignal(), devices or {}, parameters, {"beaker": beaker}, files, label="run 1/fill"
        )
        task._svc_start()
        return CheckedResult(asyncio.run(task._svc_execute()))

    def test_devices_have_the_type_of_their_class_and_functions(self):
        device = self.device("devices/pump/device.py", port=3)
        self.assertEqual((device.device_type, device.port), ("pump", 3))
        self.assertEqual(declared_functions(type(device))["fill"]["positional"], ["name", "volume"])

    def test_tasks_get_what_their_annotations_say(self):
        device = self.device("devices/pump/device.py", port=3)
        result = self.result_of("tasks/fill/task.py", {"pump": device}, spot=[1, 2])
        self.assertEqual(result.problems, [])
        meta = {"filled": ["b1", 5, 3, 3, True, None], "by": ["Beaker", "run 1", "fill"]}
        self.assertEqual(result.output_resources, {"beaker": {"name": "b1", "type": "beaker", "meta": meta}})

    if pydantic is not None:

        def test_devices_check_their_init_parameters(self):
            self.assertEqual(self.device("devices/heater/device.py", name="h", limit=None).limit, 80)
            with self.assertRaisesRegex(Exception, "Error initializing device name_1: 1 validation error"):
                self.device("devices/heater/device.py", name=None)

        def test_tasks_give_parameters_resources_and_files_in_a_model(self):
            result = self.result_of("tasks/report/task.py")
            self.assertEqual(result.problems, [])
            self.assertEqual(result.output_parameters, {"mass": 2.0})
            self.assertEqual(result.files, {"table.csv": b"1,2", "a.txt": b"a"})
            self.assertEqual(result.output_resources["beaker"]["meta"], {"weighed": True})


if __name__ == "__main__":
    unittest.main()
