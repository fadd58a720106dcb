import array
import enum
import unittest

from svc_lab.host.json_values import NotJson, to_json


class Colour(str, enum.Enum):
    RED = "red"


class Copies(unittest.TestCase):
    def test_are_plain_json(self):
        value = {"a": (1, 2.5, None), "b": [True, "x"], "c": Colour.RED, "d": array.array("d", [1, 2])}
        self.assertEqual(to_json(value, "it"), {"a": [1, 2.5, None], "b": [True, "x"], "c": "red", "d": [1.0, 2.0]})

    def test_do_not_share_parts_with_the_value(self):
        value = {"list": [1]}
        copy = to_json(value, "it")
        value["list"].append(2)
        self.assertEqual(copy, {"list": [1]})

    def test_may_hold_the_same_part_twice(self):
        part = [1]
        self.assertEqual(to_json([part, part], "it"), [[1], [1]])

    def test_are_refused_with_the_place_of_what_is_no_json(self):
        circle: list = []
        circle.append(circle)
        deep: list = []
        for _ in range(70):
            deep = [deep]
        for value, fault in (
            ({"x": float("nan")}, "it.x is nan, which JSON cannot carry"),
            ([float("inf")], r"it\[0\] is inf"),
            (2**53, "an integer beyond 2\\*\\*53"),
            (-(2**60), "an integer beyond"),
            (b"raw", "it is a bytes: make it"),
            ({1: 2}, "has the key 1: the keys must be strings"),
            ({"__proto__": 1}, "choose another name"),
            (circle, "contains itself"),
            (deep, "nested deeper than 64 levels"),
            (object(), "it is an object: make it"),
            ("x" * 250_000, "is 250002 bytes of JSON"),
        ):
            with self.subTest(fault), self.assertRaisesRegex(NotJson, fault):
                to_json(value, "it")

    def test_are_refused_when_a_database_cannot_store_them(self):
        for value in ("a\0", "\ud800", {"a\0": 1}):
            to_json(value, "it")
            with self.subTest(repr(value)), self.assertRaisesRegex(NotJson, "cannot be stored"):
                to_json(value, "it", storable=True)


if __name__ == "__main__":
    unittest.main()
