"""VISA devices: over pyvisa-py to a real TCP server, and simulated by pyvisa-sim."""

import os
import time
import unittest

from device_under_test import DeviceUnderTest
from power_supply import PowerSupply

from svc_lab.device import NotBegun
from svc_lab.frameworks.visa import VisaDevice

VOLTS = {"type": "float", "unit": "V", "min": 0, "max": 30}
FUNCTIONS = {
    "set_voltage": {"write": "VOLT {volts:.3f}", "parameters": {"volts": VOLTS}, "kind": "idempotent"},
    "get_voltage": {"ask": "VOLT?", "answer": "float", "unit": "V", "kind": "query"},
    "measure": {"ask": "MEAS:VOLT?", "answer": "float", "simulated": 1.5},
    "trace": {"ask": "TRAC?", "answer": "list", "kind": "query"},
    "switch": {"write": "OUTP {on}", "parameters": {"on": {"type": "bool", "value": True}}},
    "sweep": {
        "write": "SWE {steps}",
        "parameters": {"steps": {"type": "int", "unit": "n/a"}},
        "until": {"ask": "STAT?", "is": "^0$", "every": 0.02},
    },
    "wrong": {"write": "NONSENSE"},
    "read_register": {
        "ask": "REG? {register}",
        "parameters": {"register": {"type": "int", "unit": "n/a", "min": 1, "max": 3}},
        "answer": "int",
        "simulated": 7,
    },
}
ENDS = {"read_termination": "\n", "write_termination": "\n"}
COMMON = {
    "functions": FUNCTIONS,
    "identity": "acme,psu-30",
    "errors": "SYST:ERR?",
    "start": ["*CLS"],
    "safe_state": ["OUTP 0"],
}


class AVisaDevice(unittest.TestCase):
    def device(self, supply, **more):
        arguments = {"resource_name": supply.resource, "timeout": 400, **ENDS}
        made = DeviceUnderTest(VisaDevice, **{**COMMON, "arguments": arguments, "visa_library": "@py", **more})
        self.addCleanup(made.close)
        return made

    def setUp(self):
        self.supply = PowerSupply()
        self.addCleanup(self.supply.__exit__)

    def test_asks_and_sets_over_a_socket_of_pyvisa_py(self):
        made = self.device(self.supply)
        made.call("set_voltage", volts=3)
        made.call("switch")
        self.assertEqual(self.supply.received, ["*IDN?", "*CLS", "VOLT 3.000", "SYST:ERR?", "OUTP 1", "SYST:ERR?"])
        self.assertEqual((made.call("get_voltage"), made.call("measure")), (3.0, 3.0))
        self.assertEqual(made.call("trace"), [1.0, 2.5, -3.0])
        made.call("switch", on=False)
        self.assertIsNone(made.call("measure"))
        self.assertEqual(made.kinds("set_voltage", "get_voltage", "measure"), ["idempotent", "query", "effect"])
        self.assertEqual(made.parameters("set_voltage"), {"volts": VOLTS})
        self.assertEqual(made.device._report()["identity"], "ACME,PSU-30,42,1.0")

    def test_fails_with_the_entries_of_the_error_queue_after_an_effect(self):
        made = self.device(self.supply)
        with self.assertRaisesRegex(RuntimeError, 'set_voltage: the instrument reports -222,"Data out of range"'):
            made.call("set_voltage", volts=26)
        with self.assertRaisesRegex(RuntimeError, 'wrong: the instrument reports -113,"Undefined header"'):
            made.call("wrong")
        self.assertEqual(made.call("get_voltage"), 0.0)

    def test_waits_until_the_instrument_is_ready_and_answers_queries_meanwhile(self):
        made = self.device(self.supply)
        end = made.begin("sweep", steps=20)
        self.assertEqual(made.call("get_voltage"), 0.0)
        self.assertGreater(self.supply.sweeping, 0)
        self.assertIsNone(end())
        self.assertEqual(self.supply.sweeping, 0)

    def test_is_stopped_while_it_waits_and_its_safe_state_comes_last(self):
        made = self.device(self.supply)
        made.call("switch")
        end = made.begin("sweep", steps=100_000)
        while "STAT?" not in self.supply.received:
            time.sleep(0.01)
        made.stop()
        self.assertEqual(str(end()), "sweep was stopped")
        time.sleep(0.1)
        self.assertEqual(self.supply.received[-1], "OUTP 0")
        self.assertFalse(self.supply.is_on)
        self.assertEqual(made.call("get_voltage"), 0.0)

    def test_is_stopped_while_a_question_has_no_answer(self):
        made = self.device(self.supply, arguments={"resource_name": self.supply.resource, "timeout": 30_000, **ENDS})
        made.call("switch")
        self.supply.is_silent = True
        end = made.begin("measure")
        while self.supply.received[-1] != "MEAS:VOLT?":
            time.sleep(0.01)
        begin = time.monotonic()
        made.stop()
        self.assertLess(time.monotonic() - begin, 2)
        while self.supply.is_on:
            time.sleep(0.01)
        self.assertEqual(str(end()), "measure was stopped")
        self.supply.is_silent = False

    def test_does_not_take_a_late_answer_for_that_of_the_next_question(self):
        made = self.device(self.supply)
        self.supply.is_silent = True
        with self.assertRaisesRegex(RuntimeError, r"^MEAS:VOLT\?: .*[Tt]imeout"):
            made.call("measure")
        self.supply.is_silent = False
        self.supply._connections[-1].sendall(b"+9.000000E+00\n")
        time.sleep(0.1)
        self.assertEqual(made.call("get_voltage"), 0.0)

    def test_never_sends_an_effect_again_whose_connection_broke_and_connects_again(self):
        made = self.device(self.supply)
        made.call("switch")
        end = made.begin("sweep", steps=100_000)
        while "STAT?" not in self.supply.received:
            time.sleep(0.01)
        self.supply.switch_off()
        error = end()
        self.assertNotIsInstance(error, NotBegun)
        self.assertRegex(str(error), r"^STAT\?: ")
        for _ in range(2):
            with self.assertRaisesRegex(NotBegun, "::SOCKET is not connected: .*Nothing was sent, and the next call"):
                made.call("set_voltage", volts=3)
        self.assertFalse(made.device._report()["connected"])
        with self.assertRaisesRegex(RuntimeError, "nothing was sent to TCPIP0.*: it is not connected"):
            made.stop()
        before = len(self.supply.received)
        self.supply.switch_on()
        made.call("set_voltage", volts=3)
        self.assertEqual(self.supply.received[before:], ["*IDN?", "VOLT 3.000", "SYST:ERR?"])
        self.assertEqual(sum(each.startswith("SWE") for each in self.supply.received), 1)
        self.assertEqual(made.call("get_voltage"), 3.0)

    def test_says_at_its_end_that_a_lost_instrument_was_not_made_safe_and_starts_anew(self):
        arguments = {"resource_name": self.supply.resource, "timeout": 400, **ENDS}
        first = DeviceUnderTest(VisaDevice, **{**COMMON, "arguments": arguments, "visa_library": "@py"})
        end = first.begin("sweep", steps=100_000)
        while "STAT?" not in self.supply.received:
            time.sleep(0.01)
        self.supply.drop()
        self.assertRegex(str(end()), r"^STAT\?: ")
        with self.assertRaisesRegex(RuntimeError, "was not made safe, because it is lost"):
            first.close()
        again = self.device(self.supply)
        self.assertEqual(again.call("get_voltage"), 0.0)
        self.assertEqual(self.supply.received.count("SWE 100000"), 1)

    def test_is_made_safe_at_the_end(self):
        arguments = {"resource_name": self.supply.resource, **ENDS}
        made = DeviceUnderTest(VisaDevice, **{**COMMON, "arguments": arguments, "visa_library": "@py"})
        made.call("switch")
        made.close()
        while self.supply.is_on:
            time.sleep(0.01)
        self.assertEqual(self.supply.received[-1], "OUTP 0")

    def test_refuses_another_instrument_a_resource_that_is_not_there_and_no_resource(self):
        with self.assertRaisesRegex(RuntimeError, r"is 'ACME,PSU-30,42,1.0', and init_parameters.identity wants 'DMM'"):
            self.device(self.supply, identity="DMM")
        with self.assertRaisesRegex(Exception, r"(?i)connect|refused|resource|timeout"):
            self.device(self.supply, arguments={"resource_name": "TCPIP0::127.0.0.1::1::SOCKET", **ENDS})
        with self.assertRaisesRegex(ValueError, "init_parameters.arguments has no resource_name"):
            self.device(self.supply, arguments={})
        with self.assertRaisesRegex(ValueError, "init_parameters has class, which means nothing here"):
            self.device(self.supply, **{"class": "pyvisa.Resource"})

    def test_refuses_arguments_that_its_functions_do_not_have(self):
        made = self.device(self.supply)
        with self.assertRaisesRegex(TypeError, "set_voltage needs volts; it takes: volts"):
            made.call("set_voltage")
        with self.assertRaisesRegex(TypeError, "trace takes no volts; it takes: nothing"):
            made.call("trace", volts=1)

    def test_refuses_lists_of_functions_that_it_does_not_have(self):
        for setting in ("queries", "idempotent", "only", "stops"):
            with self.subTest(setting), self.assertRaisesRegex(ValueError, f"init_parameters.{setting} names nothing_"):
                self.device(self.supply, **{setting: ["nothing_"]})
        self.assertEqual(self.supply.received, [])

    def test_has_only_the_functions_that_are_chosen(self):
        made = self.device(self.supply, only=["*_voltage"], queries=["get_voltage"], timeouts={"set_voltage": 90})
        self.assertEqual(set(made.declared), {"set_voltage", "get_voltage"})
        self.assertEqual(made.declared["set_voltage"]["timeout_s"], 90)

    def test_is_stopped_by_functions_that_need_no_parameters(self):
        with self.assertRaisesRegex(ValueError, "stops names set_voltage, which needs volts"):
            self.device(self.supply, stops=["set_voltage"])
        self.assertFalse(self.device(self.supply, safe_state=[]).can_stop)
        made = self.device(self.supply, safe_state=[], stops=["wrong"])
        with self.assertRaisesRegex(RuntimeError, "Undefined header"):
            made.stop()


class ASimulatedVisaDevice(unittest.TestCase):
    def device(self, resource="GPIB0::12::INSTR", **more):
        arguments = {"resource_name": resource, **ENDS}
        made = DeviceUnderTest(VisaDevice, **{**COMMON, "arguments": arguments, "simulate": True, **more})
        self.addCleanup(made.close)
        return made

    def test_answers_what_its_functions_declare(self):
        for resource in (
            "GPIB0::12::INSTR",
            "TCPIP0::192.0.2.7::5025::SOCKET",
            "ASRL3::INSTR",
            "USB0::0x2A8D::0x1301::MY1::INSTR",
        ):
            with self.subTest(resource):
                made = self.device(resource)
                self.assertEqual(made.call("measure"), 1.5)
                made.call("set_voltage", volts=12.25)
                self.assertEqual(made.call("get_voltage"), 12.25)
                made.call("sweep", steps=3)
                self.assertEqual(made.call("read_register", register=2), 7)
                self.assertTrue(made.device._report()["simulated"])

    def test_leaves_no_file_behind(self):
        made = DeviceUnderTest(
            VisaDevice, **{**COMMON, "arguments": {"resource_name": "GPIB0::1::INSTR"}, "simulate": True}
        )
        path = made.device._simulation.library.rpartition("@")[0]
        self.assertTrue(os.path.exists(path))
        made.close()
        self.assertFalse(os.path.exists(path))

    def test_is_described_by_a_definition_of_pyvisa_sim(self):
        definition = {
            "devices": {
                "psu": {
                    "eom": {"GPIB INSTR": {"q": "\r\n", "r": "\n"}},
                    "dialogues": [{"q": "*IDN?", "r": "ACME,PSU-30"}, {"q": "*CLS"}, {"q": "OUTP 0"}],
                    "properties": {
                        "voltage": {
                            "default": 1.0,
                            "getter": {"q": "VOLT?", "r": "{:+.3E}"},
                            "setter": {"q": "VOLT {}"},
                            "specs": {"min": 0, "max": 30, "type": "float"},
                        }
                    },
                    "error": {"error_queue": [{"q": "SYST:ERR?", "default": "0,None", "command_error": "-1,Bad"}]},
                }
            },
            "resources": {"GPIB::1::INSTR": {"device": "psu"}},
        }
        made = self.device(simulate=definition)
        made.call("set_voltage", volts=2)
        self.assertEqual(made.call("get_voltage"), 2.0)
        with self.assertRaisesRegex(RuntimeError, "wrong: the instrument reports -1,Bad"):
            made.call("wrong")

    def test_is_refused_if_it_cannot_be_simulated(self):
        with self.assertRaisesRegex(
            ValueError, "init_parameters.simulate has clas: a simulation by pyvisa-sim has file, or"
        ):
            self.device(simulate={"clas": "x"})
        with self.assertRaisesRegex(ValueError, "simulate.file is nowhere.yaml: there is no such file"):
            self.device(simulate={"file": "nowhere.yaml"})
        with self.assertRaisesRegex(ValueError, "block, which pyvisa-sim cannot simulate"):
            self.device(functions={"curve": {"ask": "CURV?", "answer": "block"}})
