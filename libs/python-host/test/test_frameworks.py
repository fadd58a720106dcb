"""The hints are those of `typing`, as drivers have them."""

# ruff: noqa: UP006, PLR0917
import dataclasses
import enum
import typing
import unittest

from svc_lab.frameworks.construct import Converter, load
from svc_lab.frameworks.introspect import Described, shorten_to_fit
from svc_lab.functions import effect
from svc_lab.parameters import declaration_faults


class Speed(enum.Enum):
    SLOW = 1
    FAST = 2


@dataclasses.dataclass
class Place:
    x: float
    y: float = 0.0


class Well:
    def __init__(self, name):
        self.name = name


class Stirrer:
    def stir(
        self,
        wells: typing.List[Well],
        times: int,
        speed: Speed = Speed.SLOW,
        at: typing.Optional[Place] = None,
        volumes: typing.Optional[typing.List[typing.Optional[float]]] = None,
        mode: typing.Literal["wide", "tight"] = "wide",
        **backend_kwargs,
    ):
        """Stirs
        wells.

        Args:
            times: How often the stirrer
                turns
            mode: How it turns

        Raises:
            RuntimeError: when it is stuck
        """

    def heat(self, target: typing.Union[float, typing.List[float]]):
        """Heats."""


def find(text, hint):
    return [Well(each) for each in text.split("+")] if hint is Well else None


STIRRER = Stirrer()


class ADescription(unittest.TestCase):
    def test_has_what_hints_defaults_and_docstrings_say(self):
        described = Described.of_method(STIRRER.stir, lambda hint: hint is Well)
        self.assertEqual(described.description, "Stirs wells.")
        self.assertEqual(
            described.parameters,
            {
                "wells": {"type": "list", "element_type": "str"},
                "times": {"type": "int", "unit": "n/a", "desc": "How often the stirrer turns"},
                "speed": {"type": "choice", "choices": ["SLOW", "FAST"], "value": "SLOW"},
                "at": {"type": "dict", "optional": True},
                "volumes": {"type": "list", "element_type": "float", "optional": True},
                "mode": {"type": "choice", "choices": ["wide", "tight"], "value": "wide", "desc": "How it turns"},
                "backend_kwargs": {"type": "dict", "optional": True, "desc": "Further arguments by name"},
            },
        )
        self.assertEqual(declaration_faults(described.description, described.parameters), [])
        effect(parameters=described.parameters)(lambda_of("stir"))

    def test_declares_nothing_when_a_parameter_cannot_be_expressed_and_names_all_of_them(self):
        described = Described.of_method(STIRRER.heat)
        self.assertIsNone(described.parameters)
        self.assertEqual(described.description, "Takes target. Heats.")

        def show(what: typing.Any): ...

        self.assertIsNone(Described.of_method(show).parameters)

    def test_reads_the_fields_of_sphinx_and_takes_the_type_of_a_default_where_there_is_no_hint(self):
        def move(steps=5, wait=True, to="home"):
            """Moves.

            :param steps: How many
                steps
            :param str to: Where
            :returns: nothing
            """

        self.assertEqual(
            Described.of_method(move).parameters,
            {
                "steps": {"type": "float", "unit": "n/a", "value": 5, "desc": "How many steps"},
                "wait": {"type": "bool", "value": True},
                "to": {"type": "str", "value": "home", "desc": "Where"},
            },
        )

    def test_of_all_functions_loses_what_people_read_before_a_function_is_lost(self):
        def described(count, long):
            return {f"f{index}": Described(long, {"value": {"type": "str", "desc": long}}) for index in range(count)}

        few = described(80, "x" * 150)
        shorten_to_fit(few)
        self.assertIn({"type": "str"}, [each.parameters["value"] for each in few.values()])
        self.assertTrue(all(each.description for each in few.values()))
        more = described(200, "x" * 150)
        shorten_to_fit(more)
        self.assertTrue(any(each.description is None for each in more.values()))
        with self.assertRaisesRegex(
            ValueError, r"has 500 functions.*name those that you need in init_parameters\.only"
        ):
            shorten_to_fit(described(500, "x"))


def lambda_of(name):
    def call(**given): ...

    call.__name__ = name
    return call


class AConverter(unittest.TestCase):
    def test_makes_what_the_signature_asks_for(self):
        given = {
            "wells": ["a+b", "c"],
            "times": 2,
            "speed": "FAST",
            "at": {"x": 1},
            "volumes": [1, None],
            "backend_kwargs": {"force": 3},
        }
        made = Converter(find).arguments(STIRRER.stir, given)
        self.assertEqual([each.name for each in made.pop("wells")], ["a", "b", "c"])
        self.assertEqual(made, {"times": 2, "speed": Speed.FAST, "at": Place(1.0), "volumes": [1.0, None], "force": 3})

    def test_takes_the_type_of_a_union_that_fits(self):
        for value in (1.5, [1.5, 2.5]):
            self.assertEqual(Converter(find).arguments(STIRRER.heat, {"target": value}), {"target": value})

    def test_refuses_an_unknown_argument_and_an_unknown_choice(self):
        with self.assertRaisesRegex(TypeError, "heat takes no to; it takes: target"):
            Converter(find).arguments(STIRRER.heat, {"to": 5})
        with self.assertRaisesRegex(ValueError, "speed is 'LAZY': it is one of SLOW, FAST"):
            Converter(find).arguments(STIRRER.stir, {"speed": "LAZY"})

    def test_makes_the_objects_in_arguments_the_inner_ones_first(self):
        def shelf(places, name=""):
            return (name, places)

        inner = {"class": f"{__name__}.Place", "arguments": {"x": 2}}
        made = Converter().make(shelf, {"places": [inner, {"deep": inner}], "name": "a"}, "test", "arguments")
        self.assertEqual(made, ("a", [Place(2.0), {"deep": Place(2.0)}]))


class APath(unittest.TestCase):
    def test_leads_to_a_class(self):
        self.assertIs(load("collections.abc.Sequence", "collections"), typing.get_origin(typing.Sequence[int]))

    def test_that_leads_nowhere_says_where_it_ends(self):
        with self.assertRaisesRegex(ModuleNotFoundError, r"no_such_package\.Pump needs the package no_such_package"):
            load("no_such_package.Pump", "no_such_package")
        with self.assertRaisesRegex(ValueError, r"class is enum\.Pump: enum has no Pump"):
            load("enum.Pump", "enum")
        with self.assertRaisesRegex(ValueError, r"class is string\.digits: that is no class and no function"):
            load("string.digits", "string")
        with self.assertRaisesRegex(ValueError, "class is 'Pump': it is the path of a class"):
            load("Pump", "pylabrobot")
