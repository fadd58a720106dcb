"""Instruments of QCoDeS: its dummies, and real drivers over the simulations that it has for pyvisa-sim."""

import time
import unittest

import numpy
from device_under_test import DeviceUnderTest
from qcodes import validators
from qcodes.instrument import Instrument, InstrumentChannel

from svc_lab.frameworks.qcodes import QcodesDevice
from svc_lab.frameworks.qcodes_validators import taken_by

Q = "qcodes.instrument_drivers."
SIMS = "qcodes.instrument.sims:"
HERE = f"{__name__}."

DRIVERS = [
    # The class, its simulation, a function that reads, and what it returns.
    ("AimTTi.AimTTiPL601", True, "get_timeout", 5.0),
    ("Keithley.Keithley2600", True, "get_smua_mode", "current"),
    ("Keithley.Keithley3706A", True, "get_IDN", None),
    ("Keysight.Keysight33xxx", True, "get_ch1_function_type", "SIN"),
    ("Keysight.Keysight34465A", True, "get_volt", 10.0),
    ("Keysight.Keysight34980A", True, "get_slot_1_34934A_protection_mode", "AUTO100"),
    ("Keysight.KeysightB2200", True, "get_connection_rule", "free"),
    ("Keysight.KeysightE4980A", True, "get_signal_mode", "Voltage"),
    ("Keysight.KeysightN9030B", True, "get_sa_npts", 1001),
    ("Lakeshore.LakeshoreModel336", True, "get_A_temperature", 100.0),
    ("rigol.RigolDS1074Z", True, "get_time_axis", [0.0, 0.125, 0.25, 0.375, 0.5]),
    ("stahl.Stahl", True, "get_channel1_voltage", -1.2),
    ("weinschel.Weinschel8320", {"file": SIMS + "Weinschel_8320.yaml"}, "get_IDN", None),
    ("yokogawa.YokogawaGS200", True, "get_source_mode", "VOLT"),
    ("mock_instruments.DummyInstrument", True, "get_dac1", 0),
    ("mock_instruments.DummyChannelInstrument", True, "get_A_temperature", None),
]
SETTINGS = [
    # The class, a function that sets, its declaration, and the value that is read back.
    (
        "Keysight.Keysight34465A",
        "NPLC",
        {"type": "choice", "choices": [0.001, 0.002, 0.006, 0.02, 0.06, 0.2, 1, 10, 100]},
        0.2,
    ),
    ("Keysight.KeysightB2200", "connection_rule", {"type": "choice", "choices": ["free", "single"]}, "single"),
    ("Lakeshore.LakeshoreModel336", "A_sensor_name", {"type": "str"}, "cold finger, left"),
    ("yokogawa.YokogawaGS200", "output", {"type": "choice", "choices": ["off", "on"]}, "on"),
    ("mock_instruments.DummyInstrument", "dac1", {"type": "float", "unit": "V", "min": -800, "max": 400}, 12.5),
]


class Heater(InstrumentChannel):
    def __init__(self, parent, name):
        super().__init__(parent, name)
        self.add_parameter(
            "power", unit="W", initial_value=0.0, vals=validators.Numbers(0, 50), set_cmd=None, get_cmd=None
        )

    def boost(self, seconds: int = 1) -> dict:
        """Heats with full power."""
        self.power(50)
        return {"seconds": seconds, "spectrum": numpy.array([1.0, float("nan")])}


class Oven(Instrument):
    """An instrument of a lab, which ramps in a loop as drivers do."""

    def __init__(self, name, heaters=2):
        super().__init__(name)
        for index in range(heaters):
            self.add_submodule(f"heater{index + 1}", Heater(self, f"heater{index + 1}"))
        self.add_parameter("setpoint", unit="C", vals=validators.Numbers(0, 900), set_cmd=None, initial_value=20.0)
        self.add_parameter("mode", val_mapping={"manual": 0, "program": 1}, set_cmd=None, initial_value="manual")
        self.add_parameter("temperature", unit="C", get_cmd=lambda: numpy.float64(21.5))
        self.add_function("beep", call_cmd=lambda: None)
        self.add_function("wait", call_cmd=lambda seconds: seconds, args=[validators.Numbers(0, 5)])

    def ramp(self, to: float) -> None:
        """Ramps the set point.

        Args:
            to: Where the ramp ends
        """
        while self.setpoint() < to:
            self.setpoint(self.setpoint() + 0.01)
            time.sleep(0.005)

    def off(self) -> None:
        """Lets it cool."""
        self.setpoint(0)


class Devices(unittest.TestCase):
    def device(self, path, simulate=True, **more):
        made = DeviceUnderTest(QcodesDevice, **{"class": path, "simulate": simulate, **more})
        self.addCleanup(made.close)
        return made

    def oven(self, **more):
        return self.device(HERE + "Oven", {"class": HERE + "Oven"}, **more)


class AnInstrument(Devices):
    def test_of_real_drivers_is_read_over_pyvisa_sim(self):
        for path, simulate, function, expected in DRIVERS:
            with self.subTest(path):
                made = self.device(Q + path, simulate, only=["get_*"])
                self.assertEqual(made.kinds(function), ["query"])
                read = made.call(function)
                if expected is not None:
                    self.assertEqual(read, expected)
                self.assertIsNotNone(read)
                self.assertTrue(made.device._report()["simulated"])

    def test_of_real_drivers_is_set_and_read_back(self):
        for path, name, declared, value in SETTINGS:
            with self.subTest(path):
                made = self.device(Q + path, only=[f"?et_{name}"])
                self.assertEqual(made.kinds(f"set_{name}"), ["idempotent"])
                self.assertEqual(made.parameters(f"set_{name}"), {"value": declared})
                made.call(f"set_{name}", value=value)
                self.assertEqual(made.call(f"get_{name}"), value)

    def test_with_too_many_functions_says_what_to_do(self):
        with self.assertRaisesRegex(
            ValueError, r"has 6\d\d functions.*name those that you need in init_parameters\.only"
        ):
            self.device(Q + "Lakeshore.LakeshoreModel372")

    def test_of_a_lab_has_its_parameters_channels_methods_and_commands(self):
        oven = self.oven()
        self.assertEqual(
            {name: each["kind"] for name, each in oven.declared.items()},
            {
                **dict.fromkeys(["get_setpoint", "get_mode", "get_temperature", "get_IDN"], "query"),
                **dict.fromkeys(["get_heater1_power", "get_heater2_power"], "query"),
                **dict.fromkeys(["set_setpoint", "set_mode"], "idempotent"),
                **dict.fromkeys(["set_heater1_power", "set_heater2_power"], "idempotent"),
                **dict.fromkeys(["ramp", "off", "beep", "wait", "heater1_boost", "heater2_boost"], "effect"),
            },
        )
        self.assertEqual(oven.parameters("set_setpoint")["value"], {"type": "float", "unit": "C", "min": 0, "max": 900})
        self.assertEqual(oven.parameters("set_mode")["value"], {"type": "choice", "choices": ["manual", "program"]})
        self.assertEqual(oven.parameters("ramp")["to"]["desc"], "Where the ramp ends")
        self.assertEqual(oven.parameters("wait"), {"arg0": {"type": "float", "unit": "n/a", "min": 0, "max": 5}})
        oven.call("set_setpoint", value=100)
        oven.call("set_mode", value="program")
        self.assertEqual(
            [oven.call(f"get_{each}") for each in ("setpoint", "mode", "temperature")], [100, "program", 21.5]
        )
        self.assertEqual(oven.call("wait", arg0=2), 2)
        self.assertEqual(oven.call("heater2_boost"), {"seconds": 1, "spectrum": [1.0, None]})
        self.assertEqual(oven.call("get_heater2_power"), 50)
        with self.assertRaisesRegex(Exception, "950 is invalid"):
            oven.call("set_setpoint", value=950)

    def test_is_stopped_while_it_ramps(self):
        oven = self.oven(stops=["off"])
        end = oven.begin("ramp", to=900)
        time.sleep(0.1)
        oven.stop()
        self.assertEqual(str(end()), "ramp was stopped")
        self.assertEqual(oven.call("get_setpoint"), 0)
        self.assertFalse(self.oven().can_stop)

    def test_with_lists_of_functions_has_them_so(self):
        oven = self.oven(queries=["beep"], idempotent=["off"], timeouts={"ramp": 900}, only=["beep", "off", "ramp"])
        self.assertEqual(oven.kinds("beep", "off", "ramp"), ["query", "idempotent", "effect"])
        self.assertEqual((set(oven.declared), oven.declared["ramp"]["timeout_s"]), ({"beep", "off", "ramp"}, 900))
        with self.assertRaisesRegex(ValueError, "init_parameters.queries names cool, which .*Oven does not have"):
            self.oven(queries=["cool"])

    def test_can_be_made_again_after_it_was_refused_or_closed(self):
        with self.assertRaisesRegex(ValueError, "names cool"):
            self.oven(only=["cool"])
        self.oven().close()
        self.assertEqual(self.oven().call("get_temperature"), 21.5)

    def test_without_a_simulation_is_refused(self):
        with self.assertRaisesRegex(ValueError, "Oven does not use VISA, so pyvisa-sim cannot simulate it"):
            self.device(HERE + "Oven")
        with self.assertRaisesRegex(ValueError, "QCoDeS has no simulation that is named as SR830"):
            self.device(Q + "stanford_research.SR830", arguments={"address": "GPIB::1::INSTR"})

    def test_that_is_none_is_refused(self):
        for path, message in (
            ("math.sqrt", "class is math.sqrt: that is no instrument of QCoDeS"),
            (Q + "Keysight.Keysight9", "has no Keysight9"),
            (HERE + "Heater", "that is no instrument of QCoDeS"),
        ):
            with self.subTest(path), self.assertRaisesRegex(Exception, message):
                self.device(path)
        with self.assertRaisesRegex(TypeError, "Oven takes no doors; it takes: name, heaters"):
            self.device(HERE + "Oven", False, arguments={"doors": 1})


class AValidator(unittest.TestCase):
    def test_is_expressed_as_in_task_yml(self):
        v = validators
        for validator, expected in (
            (v.Numbers(-1, 2.5), {"type": "float", "unit": "V", "min": -1, "max": 2.5}),
            (v.Numbers(), {"type": "float", "unit": "V"}),
            (v.Ints(1, 4), {"type": "int", "unit": "V", "min": 1, "max": 4}),
            (v.PermissiveInts(), {"type": "int", "unit": "V"}),
            (v.Bool(), {"type": "bool"}),
            (v.Strings(), {"type": "str"}),
            (v.Enum("b", "a"), {"type": "choice", "choices": ["b", "a"]}),
            (v.OnOff(), {"type": "choice", "choices": ["on", "off"]}),
            (v.MultiType(v.Numbers(0, 5), v.Enum(None)), {"type": "float", "unit": "V", "min": 0, "max": 5}),
            (v.Arrays(shape=(3,)), {"type": "list", "element_type": "float"}),
            (v.Lists(v.Ints()), {"type": "list", "element_type": "int"}),
            (v.Dict(), {"type": "dict"}),
            (v.MultiType(v.Numbers(), v.Enum("MAX")), None),
            (v.ComplexNumbers(), None),
            (v.Anything(), None),
            (None, None),
        ):
            with self.subTest(repr(validator)):
                self.assertEqual(taken_by(validator, "V").spec, expected)
        self.assertIsInstance(taken_by(v.Arrays(shape=(2,))).value([1.0, 2.0]), numpy.ndarray)
