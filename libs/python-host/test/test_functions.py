import unittest

from svc_lab import BaseDevice, effect, idempotent, query
from svc_lab.functions import declared_functions

VOLUME = {"type": "float", "unit": "ml", "min": 0, "max": 25}


class Pump(BaseDevice):
    @effect(timeout=120, parameters={"volume": VOLUME})
    def dose(self, volume):
        """Doses into the beaker.

        More than the first line is not shown.
        """

    @idempotent(description="Sets the speed")
    async def set_speed(self, speed): ...

    @query
    def status(self): ...

    def purge(self): ...

    def _hidden(self): ...

    @staticmethod
    def of_nobody(): ...


class SmallPump(Pump):
    def rinse(self): ...


class DeclaredFunctions(unittest.TestCase):
    def test_are_the_methods_of_the_class_and_effects_unless_declared_otherwise(self):
        self.assertEqual(
            list(declared_functions(Pump).values()),
            [
                {
                    "name": "dose",
                    "kind": "effect",
                    "timeout_s": 120,
                    "description": "Doses into the beaker.",
                    "parameters": {"volume": VOLUME},
                },
                {"name": "set_speed", "kind": "idempotent", "description": "Sets the speed"},
                {"name": "status", "kind": "query"},
                {"name": "purge", "kind": "effect"},
            ],
        )

    def test_of_a_base_class_do_not_count(self):
        self.assertEqual(list(declared_functions(SmallPump)), ["rinse"])

    def test_include_those_that_a_device_adds_with_their_declarations(self):
        async def heat(**given): ...

        added = {"heat": idempotent(timeout=900, parameters={"target": {"type": "float", "unit": "C"}})(heat)}
        self.assertEqual(
            declared_functions(SmallPump, added),
            {
                "rinse": {"name": "rinse", "kind": "effect"},
                "heat": {
                    "name": "heat",
                    "kind": "idempotent",
                    "timeout_s": 900,
                    "parameters": {"target": {"type": "float", "unit": "C"}},
                },
            },
        )

    def test_run_beside_an_effect_only_if_they_are_idempotent(self):
        def pause(): ...

        added = {"pause": idempotent(beside=True)(pause)}
        self.assertEqual(
            declared_functions(SmallPump, added)["pause"], {"name": "pause", "kind": "idempotent", "beside": True}
        )
        with self.assertRaisesRegex(TypeError, "only an idempotent function can run beside an effect"):
            effect(beside=True)(lambda self: None)

    def test_that_a_device_adds_need_names(self):
        with self.assertRaisesRegex(TypeError, "_svc_functions returned the name 'a b'"):
            declared_functions(Pump, {"a b": lambda: None})

    def test_are_limited_in_size(self):
        methods = {f"move_{number}": lambda self: None for number in range(2_000)}
        with self.assertRaisesRegex(TypeError, "at most 32000 are kept of a device"):
            declared_functions(type("Large", (BaseDevice,), methods))


class Decorators(unittest.TestCase):
    def refuse(self, fault, method, **options):
        with self.assertRaisesRegex(TypeError, fault):
            effect(**options)(method)

    def test_refuse_what_is_no_method(self):
        self.refuse("cannot stand on _hidden", Pump._hidden)
        self.refuse("cannot stand on", property())

    def test_refuse_a_second_declaration(self):
        self.refuse("dose is declared twice", Pump.dose)

    def test_refuse_a_wrong_timeout(self):
        for timeout in (0, -1, 604_801, "60", True):
            self.refuse("timeout is", lambda self: None, timeout=timeout)

    def test_compare_the_parameters_with_the_method(self):
        def dose(self, volume, speed=1.0): ...

        self.refuse("the method takes volume, which the parameters do not declare", dose, parameters={})
        self.refuse(
            "parameters.wolume: the method does not take it", dose, parameters={"volume": VOLUME, "wolume": VOLUME}
        )
        self.refuse(
            "parameters.volume is optional: give it a default in the method",
            dose,
            parameters={"volume": {**VOLUME, "optional": True}},
        )
        effect(parameters={"volume": VOLUME, "speed": {**VOLUME, "optional": True}})(dose)

    def test_name_every_fault_of_a_declaration(self):
        def move(self, **anything): ...

        faults = {
            "type is flaot: it is one of int, float": {"type": "flaot"},
            "unit must be a unit; n/a when it has none": {"type": "float"},
            "min is 3, above the maximum 2": {"type": "int", "unit": "n/a", "min": 3, "max": 2},
            "value is 7: it must be of type float and within the bounds": {
                "type": "float",
                "unit": "n/a",
                "max": 5,
                "value": 7,
            },
            "chioces means nothing for type choice": {"type": "choice", "chioces": [1]},
            "value is c: it must be one of the choices": {"type": "choice", "choices": ["a"], "value": "c"},
            "element_type is missing": {"type": "list"},
            'min must be a list of one bound per element, with "length" beside it': {
                "type": "list",
                "element_type": "int",
                "min": [1],
            },
            "has a default, so it is optional anyway": {"type": "str", "value": "a", "optional": True},
        }
        for fault, spec in faults.items():
            with self.subTest(fault):
                self.refuse(fault, move, parameters={"to": spec})


if __name__ == "__main__":
    unittest.main()
