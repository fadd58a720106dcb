"""Devices of ophyd.sim, fakes of devices of EPICS, and devices of ophyd-async."""

import time
import unittest

from device_under_test import DeviceUnderTest
from ophyd import Component, Device, EpicsMotor, EpicsSignal, Signal
from ophyd_async.core import StandardReadable, StrictEnum, soft_signal_rw

from svc_lab.frameworks.ophyd import OphydDevice

SIM = "ophyd.sim."
HERE = f"{__name__}."


class Table(Device):
    """A device of a lab: two motors, a signal, and a method of its own."""

    x = Component(EpicsMotor, "x")
    y = Component(EpicsMotor, "y")
    shutter = Component(EpicsSignal, "shutter", string=True)
    note = Component(Signal, value="nothing")

    def shake(self, times: int = 1):
        """Shakes the table."""
        for index in range(times):
            self.note.put(f"shaken {index + 1}")
        return self.note.get()


class Mode(StrictEnum):
    OPEN = "Open"
    CLOSED = "Closed"


class Valve(StandardReadable):
    """A device of a lab on ophyd-async."""

    def __init__(self, name=""):
        with self.add_children_as_readables():
            self.mode = soft_signal_rw(Mode, Mode.CLOSED)
            self.flow = soft_signal_rw(float, 1.5, units="ml/s")
            self.pulses = soft_signal_rw(int, 3)
        super().__init__(name=name)

    async def pulse(self, times: int = 1):
        """Opens and closes."""
        await self.pulses.set(await self.pulses.get_value() + times)


class Devices(unittest.TestCase):
    def device(self, path, simulate=True, **more):
        made = DeviceUnderTest(OphydDevice, **{"class": path, "simulate": simulate, **more})
        self.addCleanup(made.close)
        return made


class ADeviceOfOphyd(Devices):
    def test_of_the_simulation_is_read_set_and_triggered(self):
        axis = self.device(SIM + "SynAxis", arguments={"value": 2})
        self.assertEqual(
            axis.kinds("read", "get_position", "set", "set_velocity"), ["query", "query", "effect", "effect"]
        )
        self.assertIsNone(axis.call("set", value=4))
        self.assertEqual(axis.call("get_position"), 4)
        # Its name is that of the device.
        self.assertEqual(axis.call("read")[axis.device.name]["value"], 4)
        axis.call("set_velocity", value=7)
        self.assertEqual(axis.call("get_velocity"), 7)
        self.assertNotIn("set_readback", axis.declared)

    def test_with_other_devices_as_arguments_makes_them_too(self):
        axis = {"class": SIM + "SynAxis", "arguments": {"name": "m"}}
        arguments = {"motor": axis, "motor_field": "m", "center": 0, "Imax": 5, "sigma": 1}
        detector = self.device(SIM + "SynGauss", arguments=arguments)
        self.assertIsNone(detector.call("trigger"))
        self.assertAlmostEqual(detector.call("get_val"), 5)
        self.assertEqual(detector.parameters("set_noise")["value"]["choices"], ["none", "poisson", "uniform"])
        detector.call("set_noise", value="uniform")
        self.assertEqual(detector.call("get_noise"), "uniform")

    def test_of_eight_classes_of_the_simulation_declares_its_functions(self):
        axis = {"class": SIM + "SynAxis", "arguments": {"name": "m"}}
        for path, arguments in (
            ("SynAxis", {}),
            ("SynSignal", {}),
            ("SynSignalRO", {}),
            ("SynGauss", {"motor": axis, "motor_field": "m", "center": 0, "Imax": 1}),
            ("ABDetector", {}),
            ("DetWithCountTime", {}),
            ("DetWithConf", {}),
            ("SPseudo3x3", {}),
            ("DirectImage", {}),
        ):
            with self.subTest(path):
                made = self.device(SIM + path, arguments=arguments)
                self.assertIn("read", made.declared)
                self.assertIsInstance(made.call("read"), dict)

    def test_has_the_names_units_and_limits_of_its_parts(self):
        pseudo = self.device(SIM + "SPseudo3x3")
        self.assertEqual(
            pseudo.parameters("pseudo1_set")["value"], {"type": "float", "unit": "a", "min": -10, "max": 10}
        )
        pseudo.call("pseudo1_set", value=3)
        self.assertEqual(pseudo.call("get_real1_position"), -3)

    def test_of_epics_is_a_fake_when_it_is_simulated(self):
        table = self.device(HERE + "Table", arguments={"prefix": "LAB:"})
        self.assertTrue(type(table.device._tree.root).__name__.startswith("Fake"))
        table.call("set_x_velocity", value=2.5)
        self.assertEqual(table.call("get_x_velocity"), 2.5)
        self.assertEqual(table.call("shake", times=3), "shaken 3")
        self.assertEqual(table.kinds("shake", "x_set", "get_y_user_readback"), ["effect", "effect", "query"])

    def test_is_stopped_while_it_moves(self):
        motor = self.device("ophyd.EpicsMotor", arguments={"prefix": "LAB:m1"})
        self.assertTrue(motor.can_stop)
        end = motor.begin("set", value=5)
        while motor.call("get_user_setpoint") != 5:
            time.sleep(0.01)
        motor.stop()
        self.assertRegex(str(end()), "set was stopped|(?i:fail|stop)")
        self.assertEqual(motor.call("get_motor_stop"), 1)

    def test_without_a_stop_of_its_own_says_so(self):
        self.assertFalse(self.device(SIM + "SynAxis").can_stop)

    def test_that_is_no_device_is_refused(self):
        for path, message in (
            ("math.sqrt", "class is math.sqrt: that is no device of ophyd or ophyd-async"),
            ("ophyd.sim.SynAxes", "ophyd.sim has no SynAxes"),
            ("no_such.Motor", "no_such.Motor needs the package no_such"),
        ):
            with self.subTest(path), self.assertRaisesRegex(Exception, message):
                self.device(path)
        with self.assertRaisesRegex(TypeError, "SimMotor takes no speed; it takes: name, instant"):
            self.device("ophyd_async.sim.SimMotor", arguments={"speed": 1})


class ADeviceOfOphydAsync(Devices):
    def test_of_the_simulation_moves_and_is_stopped_on_the_way(self):
        motor = self.device("ophyd_async.sim.SimMotor", arguments={"instant": False})
        self.assertEqual(motor.kinds("read", "locate", "set", "set_velocity"), ["query", "query", "effect", "effect"])
        motor.call("set_velocity", value=10)
        self.assertIsNone(motor.call("set", value=1.0))
        self.assertAlmostEqual(motor.call("get_user_readback"), 1.0)
        self.assertTrue(motor.can_stop)
        end = motor.begin("set", value=1000.0)
        while motor.call("get_user_readback") < 2:
            time.sleep(0.02)
        motor.stop()
        self.assertIsInstance(end(), Exception)
        position = motor.call("get_user_readback")
        self.assertLess(position, 500)
        time.sleep(0.4)
        self.assertEqual(motor.call("get_user_readback"), position)

    def test_of_a_lab_has_types_units_choices_and_methods(self):
        for simulate in (True, False):
            with self.subTest(simulate=simulate):
                valve = self.device(HERE + "Valve", simulate=simulate)
                self.assertEqual(valve.parameters("set_flow")["value"], {"type": "float", "unit": "ml/s"})
                self.assertEqual(valve.parameters("set_pulses")["value"], {"type": "int", "unit": "n/a"})
                self.assertEqual(
                    valve.parameters("set_mode")["value"], {"type": "choice", "choices": ["OPEN", "CLOSED"]}
                )
                valve.call("set_mode", value="OPEN")
                self.assertEqual(valve.call("get_mode"), "OPEN")
                before = valve.call("get_pulses")
                self.assertIsNone(valve.call("pulse", times=2))
                self.assertEqual(valve.call("get_pulses"), before + 2)
                self.assertIsInstance(valve.call("read"), dict)

    def test_of_epics_is_a_mock_when_it_is_simulated(self):
        motor = self.device("ophyd_async.epics.motor.Motor", arguments={"prefix": "LAB:m1"})
        motor.call("set_velocity", value=3.0)
        self.assertEqual(motor.call("get_velocity"), 3.0)
