import random
import unittest

from svc_lab.optimizer import ContinuousInput, ContinuousOutput, LinearEquality, LinearInequality, Maximize, Minimize
from svc_lab.optimizers import AskTellOptimizer
from svc_lab.optimizers.domain_optimizer import library

INPUTS = [ContinuousInput("mix.a", (0, 1)), ContinuousInput("mix.b", (0, 10), 1)]
OUTPUTS = [ContinuousOutput("score.gain", Maximize())]


class Sequence:
    """Proposes points in a row, as lists."""

    def __init__(self, *points):
        self.points = list(points)
        self.told = []

    def ask(self):
        return self.points.pop(0)

    def tell(self, point, cost):
        self.told.append((point, cost))


class Walk:
    """A search of its own: it steps from the best point so far. Its methods and points have other forms."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.best = (float("inf"), {"mix.a": 0.9, "mix.b": 9.0})

    def suggest(self):
        return {name: value + self.random.uniform(-0.2, 0.2) for name, value in self.best[1].items()}

    def register(self, point, cost):
        self.best = min(self.best, (cost, point), key=lambda each: each[0])


class AskAndTell(unittest.TestCase):
    def made(self, optimizer, **more):
        return AskTellOptimizer(INPUTS, OUTPUTS, optimizer=optimizer, **more)

    def test_gives_the_object_the_point_that_ran_and_a_cost(self):
        script = Sequence([0.5, 3], [0.25, 4.4])
        optimizer = self.made(script)
        rows = optimizer.sample(2)
        self.assertEqual(rows, [{"mix.a": 0.5, "mix.b": 3}, {"mix.a": 0.25, "mix.b": 4}])
        optimizer.report(rows, [{"score.gain": 7}, {"score.gain": 8}])
        optimizer.report([{"mix.a": 1, "mix.b": 1}], [{"score.gain": 9}])
        self.assertEqual(script.told, [([0.5, 3], -7.0), ([0.25, 4], -8.0), ([1, 1], -9.0)])

    def test_asks_again_while_a_point_does_not_keep_the_constraints(self):
        script = Sequence([0.9, 9], [0.5, 3])
        rows = self.made(script, constraints=[LinearInequality(["mix.a", "mix.b"], [1, 1], 5)]).sample(1)
        self.assertEqual(rows, [{"mix.a": 0.5, "mix.b": 3}])

    def test_leaves_out_inputs_that_equalities_fix(self):
        script = Sequence([4])
        optimizer = self.made(script, constraints=[LinearEquality(["mix.a", "mix.b"], [10, 1], 9)])
        rows = optimizer.sample(1)
        self.assertEqual(rows, [{"mix.a": 0.5, "mix.b": 4}])
        optimizer.report(rows, [{"score.gain": 1}])
        self.assertEqual(script.told, [([4], -1.0)])

    def test_finds_a_better_point_with_methods_of_other_names(self):
        optimizer = AskTellOptimizer(
            [INPUTS[0], ContinuousInput("mix.b", (0, 10))],
            [ContinuousOutput("score.loss", Minimize())],
            optimizer=lambda domain, seed: Walk(seed),
            ask="suggest",
            tell="register",
            seed=3,
        )
        for _ in range(30):
            rows = optimizer.sample(1)
            optimizer.report(rows, [{"score.loss": rows[0]["mix.a"] + rows[0]["mix.b"]}])
        self.assertLess(optimizer.get_optimal_solutions()[0]["score.loss"], 9.5)

    def test_says_what_is_wrong_with_the_object(self):
        with self.assertRaisesRegex(TypeError, "has no method ask and no method tell"):
            self.made(5)
        with self.assertRaisesRegex(
            TypeError, r"ask returned \[1\], not a dict or a sequence with a value for each of mix.a"
        ):
            self.made(Sequence([1])).sample(1)
        with self.assertRaisesRegex(TypeError, "ask returned a point without mix.b"):
            self.made(Sequence({"mix.a": 1})).sample(1)


class MissingLibraries(unittest.TestCase):
    def test_are_named_with_what_to_install(self):
        with self.assertRaisesRegex(ImportError, 'needs the library no_such_one: .* pip install "no-such-one"'):
            library("no_such_one.api", "no-such-one")


if __name__ == "__main__":
    unittest.main()
