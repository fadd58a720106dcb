"""Needs PyLabRobot. `e2e/pylabrobot.e2e.test.ts` runs it in the environment of the demo."""

import asyncio
import contextlib
import io
import unittest
import warnings

from pylabrobot.io.serial import Serial

from svc_lab.frameworks.pylabrobot import PylabrobotDevice
from svc_lab.functions import declared_functions

warnings.simplefilter("ignore")
P = "pylabrobot."
SIZE = {"size_x": 127.0, "size_y": 86.0, "size_z": 50.0}
BOX = {"name": "box", **SIZE}
ORIGIN = {"x": 0, "y": 0, "z": 0}
ON = {**BOX, "child_location": ORIGIN}
INCUBATOR = {**BOX, "racks": [], "loading_tray_location": ORIGIN}
HANDLERS = P + "liquid_handling.backends."


def of(path, **arguments):
    return {"class": P + path, "arguments": arguments}


def handler(deck, backend=None, **arguments):
    given = {} if backend is None else {"backend": of(f"liquid_handling.backends.{backend}", **arguments)}
    return ("liquid_handling.LiquidHandler", {"deck": of(f"resources.{deck}"), **given})


MACHINES = {
    # Classes of machines, and the backends that simulate them.
    "Pump": ("pumps.Pump", {}, "PumpChatterboxBackend"),
    "PumpArray": ("pumps.PumpArray", {}, "PumpArrayChatterboxBackend"),
    "Scale": ("scales.Scale", BOX, "ScaleChatterboxBackend"),
    "Fan": ("only_fans.Fan", {}, "FanChatterboxBackend"),
    "PowderDispenser": ("powder_dispensing.PowderDispenser", {}, "PowderDispenserChatterboxBackend"),
    "Shaker": ("shaking.Shaker", ON, "ShakerChatterboxBackend"),
    "HeaterShaker": ("heating_shaking.HeaterShaker", ON, "HeaterShakerChatterboxBackend"),
    "TemperatureController": (
        "temperature_controlling.TemperatureController",
        ON,
        "TemperatureControllerChatterboxBackend",
    ),
    "OpentronsTemperatureModuleV2": (
        "temperature_controlling.OpentronsTemperatureModuleV2",
        {"name": "module", "serial_port": "COM1"},
        "TemperatureControllerChatterboxBackend",
    ),
    "Centrifuge": ("centrifuge.Centrifuge", BOX, "CentrifugeChatterboxBackend"),
    "Loader": (
        "centrifuge.Loader",
        {**ON, "centrifuge": of("centrifuge.Centrifuge", **{**BOX, "name": "centrifuge"})},
        "LoaderChatterboxBackend",
    ),
    "PlateReader": ("plate_reading.PlateReader", BOX, "PlateReaderChatterboxBackend"),
    "Tilter": ("tilting.Tilter", {**ON, "hinge_coordinate": ORIGIN}, "TilterChatterboxBackend"),
    "HamiltonTiltModule": (
        "tilting.HamiltonTiltModule",
        {"name": "tilt", "com_port": "COM1"},
        "HamiltonTiltModuleChatterboxBackend",
    ),
    "Thermocycler": ("thermocycling.Thermocycler", ON, "ThermocyclerChatterboxBackend"),
    "OpentronsThermocyclerModuleV1": (
        "thermocycling.OpentronsThermocyclerModuleV1",
        {"name": "module", "opentrons_id": "1"},
        "ThermocyclerChatterboxBackend",
    ),
    "OpentronsThermocyclerModuleV2": (
        "thermocycling.OpentronsThermocyclerModuleV2",
        {"name": "module", "opentrons_id": "1"},
        "ThermocyclerChatterboxBackend",
    ),
    "Incubator": ("storage.Incubator", INCUBATOR, "IncubatorChatterboxBackend"),
    "LiquidHandler": (*handler("hamilton.STARLetDeck"), "LiquidHandlerChatterboxBackend"),
    # Classes of instruments, which a simulator of the instrument or of its kind replaces.
    "STARBackend": (*handler("hamilton.STARLetDeck", "STARBackend"), "STARChatterboxBackend"),
    "EVOBackend": (*handler("tecan.EVO150Deck", "EVOBackend"), "LiquidHandlerChatterboxBackend"),
    "OpentronsOT2Backend": (
        *handler("opentrons.OTDeck", "OpentronsOT2Backend", host="192.0.2.1"),
        "OpentronsOT2ChatterboxBackend",
    ),
    "CytomatBackend": (
        "storage.Incubator",
        {**INCUBATOR, "backend": of("storage.CytomatBackend", model="C6000", port="COM1")},
        "CytomatChatterbox",
    ),
    "CLARIOstarBackend": (
        "plate_reading.PlateReader",
        {**BOX, "backend": of("plate_reading.CLARIOstarBackend")},
        "PlateReaderChatterboxBackend",
    ),
    "MasterflexBackend": (
        "pumps.Pump",
        {"backend": of("pumps.cole_parmer.MasterflexBackend", com_port="COM1")},
        "PumpChatterboxBackend",
    ),
}


class Machine:
    """A device as its host uses it, without the process."""

    def __init__(self, **parameters):
        self.device = PylabrobotDevice()
        self.loop = asyncio.new_event_loop()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                self.loop.run_until_complete(self.device._initialize(parameters))
            self.functions = self.device._svc_functions()
        except BaseException:
            self.loop.close()
            raise
        self.declared = declared_functions(type("Device", (PylabrobotDevice,), {}), self.functions)

    def call(self, function, /, **given):
        with contextlib.redirect_stdout(io.StringIO()):
            return self.loop.run_until_complete(self.functions[function](**given))

    def close(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.loop.run_until_complete(self.device._cleanup())
        self.loop.close()


class Machines(unittest.TestCase):
    def machine(self, **parameters):
        made = Machine(**parameters)
        self.addCleanup(made.close)
        return made

    def simulated(self, path, arguments, **more):
        return self.machine(**{"class": P + path, "arguments": arguments, "simulate": True, **more})

    def test_of_twenty_five_classes_are_simulated_and_declare_their_functions(self):
        self.assertEqual(len(MACHINES), 25)
        for name, (path, arguments, backend) in MACHINES.items():
            with self.subTest(name):
                made = self.simulated(path, arguments)
                report = made.device._report()
                self.assertEqual((report["backend"], report["simulated"]), (backend, True))
                self.assertGreater(len(made.declared), 0)
                self.assertTrue(
                    all(each["kind"] in ("effect", "idempotent", "query") for each in made.declared.values())
                )

    def test_without_a_simulator_are_refused_with_a_sentence(self):
        for path, arguments in (
            ("sealing.Sealer", {}),
            ("barcode_scanners.BarcodeScanner", {}),
            ("plate_reading.ImageReader", BOX),
        ):
            with (
                self.subTest(path),
                self.assertRaisesRegex(ValueError, "PyLabRobot has no simulator for .*leave it out"),
            ):
                self.simulated(path, arguments)

    def test_that_are_simulated_cannot_open_a_port(self):
        self.simulated("pumps.Pump", {})
        port = Serial(human_readable_device_name="pump", port="/dev/null", baudrate=9600)
        with self.assertRaisesRegex(RuntimeError, "simulate is true, but the driver wants to open an instrument"):
            asyncio.run(port.setup())

    def test_refuse_init_parameters_that_mean_nothing(self):
        with self.assertRaisesRegex(ValueError, "init_parameters has simulated, which means nothing here"):
            self.machine(**{"class": P + "pumps.Pump", "simulated": True})
        with self.assertRaisesRegex(ValueError, "init_parameters has no class"):
            self.machine(**{"class": "", "simulate": True})
        with self.assertRaisesRegex(ValueError, "queries names status, which pylabrobot.pumps.Pump does not have"):
            self.simulated("pumps.Pump", {}, queries=["status"])

    def test_have_the_operations_of_the_machine_and_not_what_labware_or_python_need(self):
        path, arguments, _ = MACHINES["Loader"]
        labware = {"place_labware", "remove_labware", "labware_state"}
        self.assertEqual(set(self.simulated(path, arguments).declared), {"load", "unload", *labware})
        path, arguments, _ = MACHINES["LiquidHandler"]
        functions = set(self.simulated(path, arguments).declared)
        self.assertLessEqual({"aspirate", "dispense", "pick_up_tips", "move_plate", "labware_state"}, functions)
        self.assertFalse(functions & {"setup", "stop", "serialize", "load", "rotate", "use_channels", "use_tips"})

    def test_have_effects_unless_the_lab_lists_them(self):
        made = self.simulated("scales.Scale", BOX, queries=["read_weight"], idempotent=["zero"], timeouts={"zero": 120})
        kinds = {name: each["kind"] for name, each in made.declared.items()}
        self.assertEqual((kinds["read_weight"], kinds["zero"], kinds["tare"]), ("query", "idempotent", "effect"))
        self.assertEqual(made.declared["zero"]["timeout_s"], 120)
        self.assertEqual(made.call("read_weight"), 0.0)

    def test_can_be_stopped_only_if_they_have_a_method_for_it(self):
        self.assertFalse(hasattr(self.simulated("scales.Scale", BOX).device, "_stop"))
        pump = self.simulated("pumps.Pump", {})

        async def stop_while_running():
            running = asyncio.ensure_future(pump.functions["run_for_duration"](speed=5, duration=60))
            await asyncio.sleep(0.05)
            await pump.device._stop("somebody pressed it")
            await running

        output = io.StringIO()
        with contextlib.redirect_stdout(output), self.assertRaisesRegex(RuntimeError, "run_for_duration was stopped"):
            pump.loop.run_until_complete(stop_while_running())
        self.assertIn("Halting the pump.", output.getvalue())


class Labware(unittest.TestCase):
    def setUp(self):
        carriers = [
            {**of("resources.hamilton.PLT_CAR_L5AC_A00", name="plates"), "at": {"rails": 15}},
            {**of("resources.hamilton.TIP_CAR_480_A00", name="tips"), "at": {"rails": 3}},
        ]
        path, arguments = handler("hamilton.STARLetDeck", "STARBackend")
        simulate = {"class": HANDLERS + "LiquidHandlerChatterboxBackend", "arguments": {"num_channels": 8}}
        parameters = {"class": P + path, "arguments": arguments, "simulate": simulate, "children": carriers}
        self.handler = Machine(**parameters)
        self.addCleanup(self.handler.close)

    def place(self, name, definition, on, state=None):
        at = {"on": on, "site": 0}
        return self.handler.call(
            "place_labware", name=name, definition=f"{P}resources.{definition}", at=at, state=state
        )

    def test_keeps_account_of_tips_and_volumes_and_travels_by_name(self):
        self.place("plate", "cor_96_wellplate_360uL_Fb", "plates", {"volumes": {"A1": 100, "B1": 100}})
        self.assertEqual(len(self.place("rack", "hamilton_96_tiprack_300uL_filter", "tips")["tips"]), 96)
        self.handler.call("pick_up_tips", tip_spots=["rack[A1:B1]"])
        self.assertEqual(len(self.handler.call("labware_state", name="rack")["tips"]), 94)
        self.handler.call("aspirate", resources=["plate[A1,B1]"], vols=[40, 30])
        self.handler.call(
            "dispense",
            resources=["plate[C1]", "plate[D1]"],
            vols=[40, 30],
            mix=[{"volume": 10, "repetitions": 2, "flow_rate": 50}] * 2,
        )
        volumes = {"A1": 60, "B1": 70, "C1": 40, "D1": 30}
        self.assertEqual(self.handler.call("labware_state", name="plate"), {"volumes": volumes})
        with self.assertRaisesRegex(Exception, "Not enough liquid in container"):
            self.handler.call("aspirate", resources=["plate[A1:B1]"], vols=[61, 1])
        self.assertEqual(self.handler.call("labware_state", name="plate"), {"volumes": volumes})
        self.handler.call("discard_tips")

    def test_is_the_same_on_another_device_with_its_state(self):
        state = self.place("plate", "cor_96_wellplate_360uL_Fb", "plates", {"volumes": {"H12": 12.5}})
        reader = Machine(**{"class": P + "plate_reading.PlateReader", "arguments": BOX, "simulate": True})
        self.addCleanup(reader.close)
        definition = P + "resources.cor_96_wellplate_360uL_Fb"
        self.assertEqual(reader.call("place_labware", name="plate", definition=definition, state=state), state)
        self.assertEqual(reader.call("get_plate"), "plate")
        (reading,) = reader.call("read_absorbance", wavelength=450, wells=["plate[A1:A2]"], use_new_return_type=True)
        self.assertEqual((reading["data"][0][:3], reading["temperature"]), ([0.0, 0.0, None], None))
        reader.call("remove_labware", name="plate")
        with self.assertRaisesRegex(ValueError, "there is no labware plate here"):
            reader.call("labware_state", name="plate")

    def test_that_does_not_exist_is_refused_by_name(self):
        self.place("plate", "cor_96_wellplate_360uL_Fb", "plates")
        for text, message in (
            ("dish[A1]", "there is no labware dish here; there is: .*plate"),
            ("plate[Z9]", "plate has no position Z9"),
            ("plates[A1]", "plates has no positions such as A1"),
            ("plate[", "names no labware"),
        ):
            with self.subTest(text), self.assertRaisesRegex(ValueError, message):
                self.handler.call("aspirate", resources=[text], vols=[1])

    def test_definitions_of_a_call_are_those_of_the_framework(self):
        for path in ("os.system", "pylabrobot.machines.machine.Machine", "pylabrobot.resources.resource.json.loads", 5):
            with (
                self.subTest(path),
                self.assertRaisesRegex(ValueError, "may name definitions of pylabrobot.resources only"),
            ):
                self.handler.call("place_labware", name="x", definition=path, at={"on": "plates", "site": 0})


if __name__ == "__main__":
    unittest.main()
