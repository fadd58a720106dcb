"""Values of drivers, and the commands of VISA instruments. Neither needs a framework."""

import dataclasses
import datetime
import enum
import unittest

from svc_lab.frameworks.values import Taken, number, plain
from svc_lab.frameworks.visa_functions import VisaFunction
from svc_lab.parameters import declaration_faults


class Mode(enum.Enum):
    FAST = "F"
    SLOW = "S"


@dataclasses.dataclass
class Point:
    x: float
    mode: Mode = Mode.FAST


class Array:
    """As an array of numpy."""

    def tolist(self):
        return [1.0, float("nan"), [2.0]]


class AValue(unittest.TestCase):
    def test_becomes_what_json_can_carry(self):
        for value, expected in (
            (Mode.SLOW, "SLOW"),
            (float("inf"), None),
            (1 + 2j, {"real": 1.0, "imaginary": 2.0}),
            (b"\x01\xff", "01ff"),
            ({1: (Point(2.0), {3})}, {"1": [{"x": 2.0, "mode": "FAST"}, [3]]}),
            (Array(), [1.0, None, [2.0]]),
            (datetime.date(2026, 1, 2), "2026-01-02"),
            ("text", "text"),
            (None, None),
        ):
            with self.subTest(value=value):
                self.assertEqual(plain(value), expected)

    def test_of_a_framework_is_replaced_wherever_it_is(self):
        self.assertEqual(
            plain([{"a": Point(1.0)}], lambda each: "p" if isinstance(each, Point) else each), [{"a": "p"}]
        )


class ADeclaration(unittest.TestCase):
    def test_has_only_bounds_that_json_can_carry(self):
        self.assertEqual(number("float", " V ", -float("inf"), 0.5), {"type": "float", "unit": "V", "max": 0.5})
        self.assertEqual(number("int", None, -(10**18), 7), {"type": "int", "unit": "n/a", "max": 7})

    def test_of_choices_gives_the_driver_its_own_values_back(self):
        taken = Taken.one_of([Mode.FAST, Mode.SLOW, True, 1, "x"])
        self.assertEqual(taken.spec, {"type": "choice", "choices": ["FAST", "SLOW", True, 1, "x"]})
        self.assertIs(taken.value("SLOW"), Mode.SLOW)
        self.assertIs(taken.value(True), True)
        self.assertEqual((taken.value("other"), taken.value([1])), ("other", [1]))
        self.assertEqual(declaration_faults(None, {"value": taken.spec}), [])
        self.assertIsNone(Taken.one_of([object()]).spec)

    def test_of_very_many_choices_is_a_range_or_nothing(self):
        self.assertEqual(Taken.one_of(range(1, 50001)).spec, {"type": "int", "unit": "n/a", "min": 1, "max": 50000})
        self.assertIsNone(Taken.one_of([each / 7 for each in range(100)]).spec)
        self.assertIsNone(Taken.one_of([]).spec)


VOLTS = {"type": "float", "unit": "V", "min": 0, "max": 30}


class AVisaFunction(unittest.TestCase):
    def test_fills_its_commands(self):
        made = VisaFunction(
            "ramp",
            {
                "write": ["VOLT {to:.2f},(@{channels})", "OUTP {on}"],
                "parameters": {
                    "to": VOLTS,
                    "channels": {"type": "list", "element_type": "int", "value": [1, 2]},
                    "on": {"type": "bool"},
                },
            },
        )
        given = {"to": 3, "on": True}
        self.assertEqual([made.filled(each, given) for each in made.commands], ["VOLT 3.00,(@1,2)", "OUTP 1"])
        self.assertEqual((made.kind, made.description), ("effect", "Sends VOLT {to:.2f},(@{channels}); OUTP {on}"))

    def test_refuses_a_text_that_would_be_a_second_command(self):
        made = VisaFunction("show", {"write": 'DISP "{text}"', "parameters": {"text": {"type": "str"}}})
        for text in ("a;*RST", "a\n*RST", "a\r", "\0"):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, "would begin a second command"):
                made.filled('DISP "{text}"', {"text": text})

    def test_reads_answers_of_its_type(self):
        for declared, text, expected in (
            ({}, " ACME,1 \n", "ACME,1"),
            ({"answer": "float"}, "+1.50E-03", 0.0015),
            ({"answer": "float"}, "9.91E37", None),
            ({"answer": "int"}, "+7", 7),
            ({"answer": "bool"}, "ON", True),
            ({"answer": "bool"}, "0", False),
            ({"answer": "list"}, "1,2.5,-9.9E37", [1.0, 2.5, None]),
            ({"answer": "float", "pattern": r"TEMP ([-\d.]+) C"}, "TEMP -3.5 C", -3.5),
        ):
            with self.subTest(declared=declared, text=text):
                self.assertEqual(VisaFunction("f", {"ask": "F?", **declared}).parsed(text), expected)
        with self.assertRaisesRegex(RuntimeError, "f: the instrument answered 'open', which is no float"):
            VisaFunction("f", {"ask": "F?", "answer": "float"}).parsed("open")
        with self.assertRaisesRegex(RuntimeError, "which does not match"):
            VisaFunction("f", {"ask": "F?", "pattern": "x"}).parsed("open")

    def test_is_refused_with_a_sentence_that_says_where(self):
        volts = {"parameters": {"volts": VOLTS}}
        for declared, message in (
            ({}, r"functions\.f must have ask, a text, or write"),
            ("VOLT?", "must have ask or write"),
            ({"ask": "V?", "kid": 1}, "has kid, which means nothing here: possible are ask, write"),
            ({"ask": "V?", "kind": "read"}, r"\.kind is 'read': it is one of effect, idempotent, query"),
            ({"ask": "V?", "answer": "number"}, r"\.answer is 'number': it is one of str"),
            ({"write": "V {volt}", **volts}, r"sends \{volt\}, which its parameters do not declare"),
            ({"write": "V", **volts}, r"parameters declares volts, which no command sends"),
            ({"write": "V {volts.__class__}", **volts}, r"\{volts.__class__\} is no name of a parameter"),
            ({"write": "V {0}", **volts}, r"\{0\} is no name of a parameter"),
            ({"write": "V {volts", **volts}, "a brace itself is written {{ or }}"),
            ({"write": "V {volts}", "parameters": {"volts": {"type": "flaot"}}}, r"parameters\.volts\.type is flaot"),
            (
                {"write": "V {volts}", "parameters": {"volts": {**VOLTS, "optional": True}}},
                "is optional, but a command sends it",
            ),
            ({"ask": "V?", "pattern": "("}, r"\.pattern is \(: that is no regular expression"),
            ({"write": "GO", "until": {"ask": "DONE?"}}, r"\.until must have ask, and is"),
            (
                {"write": "GO", "until": {"ask": "DONE?", "is": 1, "every": 0}},
                r"\.until\.every is 0: .* from 0\.01 to 60",
            ),
        ):
            with self.subTest(declared=declared), self.assertRaisesRegex(ValueError, message):
                VisaFunction("f", declared)

    def test_knows_all_of_its_questions_if_they_can_be_counted(self):
        channel = {"type": "int", "unit": "n/a", "min": 1, "max": 3}
        asked = VisaFunction("f", {"ask": "M? (@{channel})", "parameters": {"channel": channel}})
        self.assertEqual(list(asked.questions()), ["M? (@1)", "M? (@2)", "M? (@3)"])
        with self.assertRaisesRegex(ValueError, "ask has volts, which can have any value"):
            list(VisaFunction("f", {"ask": "M? {volts}", "parameters": {"volts": VOLTS}}).questions())
