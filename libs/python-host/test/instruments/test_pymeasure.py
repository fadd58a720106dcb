"""Instruments of PyMeasure: its fakes, real drivers over pyvisa-sim, and one over its ProtocolAdapter."""

import time
import unittest

from device_under_test import DeviceUnderTest
from pymeasure.instruments import Channel, Instrument
from pymeasure.instruments.fakes import FakeInstrument
from pymeasure.instruments.validators import joined_validators, strict_discrete_set, strict_range

from svc_lab.frameworks.pymeasure import PymeasureDevice

P = "pymeasure.instruments."
HERE = f"{__name__}."


def simulation(properties=(), dialogues=()):
    """A definition of pyvisa-sim: names with a question, a command and a value, and commands with answers."""
    device = {
        "eom": {"GPIB INSTR": {"q": "\n", "r": "\n"}},
        "delimiter": "",
        "dialogues": [{"q": "*IDN?", "r": "ACME,1,2,3"}, {"q": "*CLS"}, {"q": "*RST"}],
        "properties": {},
    }
    for question, answer in dialogues:
        device["dialogues"].append({"q": question} if answer is None else {"q": question, "r": answer})
    for question, command, value in properties:
        device["properties"][question] = {
            "default": value,
            "getter": {"q": question, "r": "{}"},
            **({} if command is None else {"setter": {"q": command}}),
        }
    return {"devices": {"it": device}, "resources": {"GPIB::1::INSTR": {"device": "it"}}}


def ranged(low, high, kind="float"):
    return {"type": kind, "unit": "n/a", "min": low, "max": high}


def chosen(*choices):
    return {"type": "choice", "choices": list(choices)}


DRIVERS = [
    # The class, a question, a command, what is set by which property and read back, and the declaration of the setting.
    ("agilent.Agilent33220A", "PULS:PER?", "PULS:PER {}", "pulse_period", 0.5, ranged(2e-7, 2000)),
    ("agilent.Agilent33220A", "BURS:NCYC?", "BURS:NCYC {}", "burst_ncycles", 7, ranged(1, 50000, "int")),
    ("bkprecision.BKPrecision9130B", "INSTrument:SELect?", "INSTrument:SELect CH{}", "channel", 2, chosen(1, 2, 3)),
    ("hp.HP34401A", "ZERO:AUTO?", "ZERO:AUTO {}", "autozero_enabled", True, chosen(True, False)),
    ("keithley.Keithley2000", ":SENS:CURR:DIG?", ":SENS:CURR:DIG {}", "current_digits", 5, chosen(4, 5, 6, 7)),
    ("keithley.Keithley2400", ":SOURCE:VOLTAGE?", ":SOURCE:VOLTAGE {}", "source_voltage", -3.5, ranged(-210, 210)),
    ("lakeshore.LakeShore421", "ALMB?", "ALMB {}", "alarm_in_out", "Inside", chosen("Inside", "Outside")),
    ("rohdeschwarz.HMP4040", "ARB:REP?", "ARB:REP {}", "repetitions", 9, ranged(0, 255, "int")),
    ("signalrecovery.DSP7265", "CP", "CP {}", "coupling", 1, chosen(0, 1)),
    ("srs.SR830", "SLVL?", "SLVL{}", "sine_voltage", 0.25, ranged(0.004, 5)),
    ("thermotron.Thermotron3800", "SETP1?", "SETP1,{}", "setpoint", 37, ranged(-55, 150)),
]


EXTRA = {"keithley.Keithley2400": [(":SOURCE:FUNCTION?", "VOLT")]}
"""What some drivers ask beyond that when they are shut down, by class."""


class Supply(FakeInstrument):
    """A driver of a lab, which ramps in a loop."""

    @property
    def level(self):
        """Measure the level in V."""
        return getattr(self, "_level", 0)

    @level.setter
    def level(self, value: float):
        self._level = value

    def ramp(self, to: float, step: float = 0.001):
        """Ramp the level.

        :param to: where the ramp ends
        """
        while self.level < to:
            self.level += step
            time.sleep(0.005)

    def shutdown(self):
        self.level = 0
        super().shutdown()


class Output(Channel):
    voltage = Channel.control(
        "VOLT? {ch}", "VOLT {ch},%g", "Control the voltage.", validator=strict_range, values=(0, 10), dynamic=True
    )
    range = Channel.setting("RANG {ch},%s", "Set the range.", validator=strict_discrete_set, values=["LO", "HI"])


class TwoOutputs(Instrument):
    """A driver of a lab, with channels."""

    outputs = Instrument.MultiChannelCreator(Output, [1, 2], prefix="out_")
    mixed = Instrument.control(
        "MIX?",
        "MIX %s",
        "Control it.",
        validator=joined_validators(strict_range, strict_discrete_set),
        values=((0, 1), ["MAX"]),
    )
    count = Instrument.control("COUN?", "COUN %d", "Control the count.", cast=int)

    def __init__(self, adapter, name="Two outputs", **kwargs):
        super().__init__(adapter, name, includeSCPI=False, **kwargs)
        self.out_2.voltage_values = (0, 5)


class Devices(unittest.TestCase):
    def device(self, path, simulate=True, **more):
        made = DeviceUnderTest(PymeasureDevice, **{"class": path, "simulate": simulate, **more})
        self.addCleanup(made.close)
        return made


class AnInstrument(Devices):
    def test_of_real_drivers_is_set_and_read_over_pyvisa_sim(self):
        for path, question, command, name, value, declared in DRIVERS:
            with self.subTest(path, name=name):
                simulate = simulation([(question, command, 0)], EXTRA.get(path, ()))
                made = self.device(P + path, simulate, arguments={"adapter": "GPIB0::7::INSTR"})
                self.assertEqual(made.kinds(f"get_{name}", f"set_{name}"), ["query", "idempotent"])
                self.assertEqual(made.parameters(f"set_{name}"), {"value": declared})
                self.assertIsNone(made.call(f"set_{name}", value=value))
                self.assertEqual(made.call(f"get_{name}"), value)
                self.assertTrue(made.device._report()["simulated"])

    def test_with_a_protocol_of_its_own_is_an_oven_over_the_protocol_adapter(self):
        def framed(text):
            return f"\x0201{text}\x03"

        pairs = [
            [framed("010WRS01D0002"), framed("01OK")],
            [framed("010WWRD0120,01,00C8"), framed("01OK")],
            [framed("010WRDD0002,01"), framed("01OK00C8")],
        ]
        oven = self.device(P + "hcp.TC038", {"pairs": pairs}, arguments={"adapter": "COM5"})
        oven.call("set_setpoint", value=20)
        self.assertEqual(oven.call("get_temperature"), 20.0)

    def test_over_the_protocol_adapter_says_and_hears_just_that(self):
        pairs = [["VOLT? 1", "1.5"], ["VOLT 2,3", None], ["RANG 1,HI", None]]
        made = self.device(HERE + "TwoOutputs", {"pairs": pairs}, arguments={"adapter": "COM1"})
        self.assertEqual(made.call("get_out_1_voltage"), 1.5)
        made.call("set_out_2_voltage", value=3)
        made.call("set_out_1_range", value="HI")
        with self.assertRaisesRegex(ValueError, "No communication pair left"):
            made.call("get_out_1_voltage")

    def test_with_channels_has_their_properties_and_the_dynamic_bounds_of_each(self):
        made = self.device(HERE + "TwoOutputs", {"pairs": []}, arguments={"adapter": "COM1"})
        self.assertEqual(
            set(made.declared),
            {
                *("get_out_1_voltage", "set_out_1_voltage", "set_out_1_range"),
                *("get_out_2_voltage", "set_out_2_voltage", "set_out_2_range"),
                *("get_mixed", "set_mixed", "get_count", "set_count", "shutdown"),
            },
        )
        bounds = [made.parameters(f"set_out_{each}_voltage")["value"]["max"] for each in (1, 2)]
        self.assertEqual(bounds, [10, 5])
        self.assertEqual(made.parameters("set_out_1_range")["value"], {"type": "choice", "choices": ["LO", "HI"]})
        self.assertEqual(made.parameters("set_count")["value"], {"type": "int", "unit": "n/a"})
        self.assertIsNone(made.parameters("set_mixed"))
        self.assertTrue(made.declared["set_mixed"]["description"].startswith("Takes value. Control it."))

    def test_that_is_a_fake_of_pymeasure_needs_nothing_else(self):
        made = self.device(P + "fakes.SwissArmyFake", arguments={"wait": 0.001})
        made.call("set_frame_width", value=3)
        made.call("set_frame_height", value=2)
        frame = made.call("get_frame")
        self.assertEqual([len(row) for row in frame], [3, 3])
        self.assertEqual(made.kinds("get_frame", "set_frame_width", "shutdown"), ["query", "idempotent", "effect"])

    def test_is_stopped_while_it_ramps_and_is_shut_down_then(self):
        made = self.device(HERE + "Supply", {"class": HERE + "Supply"}, timeouts={"ramp": 600})
        self.assertEqual(made.declared["ramp"]["timeout_s"], 600)
        self.assertEqual(made.parameters("ramp")["to"], {"type": "float", "unit": "n/a", "desc": "where the ramp ends"})
        self.assertTrue(made.can_stop)
        end = made.begin("ramp", to=1000)
        time.sleep(0.1)
        made.stop()
        self.assertEqual(str(end()), "ramp was stopped")
        self.assertEqual(made.call("get_level"), 0)

    def test_without_a_shutdown_of_its_own_cannot_be_stopped(self):
        self.assertFalse(self.device(P + "fakes.SwissArmyFake").can_stop)

    def test_without_a_simulator_is_refused(self):
        with self.assertRaisesRegex(ValueError, "PyMeasure has no simulator for Keithley2000: let simulate have pairs"):
            self.device(P + "keithley.Keithley2000", arguments={"adapter": "GPIB::1::INSTR"})

    def test_that_is_none_is_refused(self):
        for path, message in (
            ("math.sqrt", "class is math.sqrt: that is no instrument of PyMeasure"),
            (P + "keithley.Keithley9999", "has no Keithley9999"),
            (P + "Channel", "that is no instrument of PyMeasure"),
        ):
            with self.subTest(path), self.assertRaisesRegex(Exception, message):
                self.device(path)
        with self.assertRaisesRegex(
            ValueError, "simulate.pairs must be a list of what is written and what is answered"
        ):
            self.device(HERE + "TwoOutputs", {"pairs": ["VOLT?"]})
