import unittest

from rules import PLAIN, WrapperRules

from svc_lab.optimizer import ContinuousOutput, Invalid, Minimize
from svc_lab.optimizers import SkoptOptimizer


class Skopt(WrapperRules, unittest.TestCase):
    budget, goal = 12, 0.01

    def make(self, **arguments):
        # One acquisition function, because the tests pay for each.
        options = {"base_estimator": "GP", "acq_func": "EI", "n_initial_points": 5}
        return SkoptOptimizer(seed=1, options=options, **arguments)

    def test_proposes_the_same_rows_for_the_same_runs(self):
        proposed = []
        for _ in range(2):
            optimizer = self.make(**PLAIN)
            self.history(optimizer)
            proposed.append(optimizer.sample(2))
        self.assertEqual(*proposed)

    def test_refuses_what_the_library_cannot_do(self):
        outputs = [ContinuousOutput(f"score.{key}", Minimize(), at_most=1) for key in "ab"]
        with self.assertRaisesRegex(Invalid, "scikit-optimize takes one objective .and 2 more"):
            self.make(inputs=PLAIN["inputs"], outputs=outputs)


if __name__ == "__main__":
    unittest.main()
