import unittest

import torch
from rules import MIXED, PLAIN, WrapperRules

from svc_lab.optimizer import ContinuousOutput, Invalid, Maximize, Minimize
from svc_lab.optimizers import BotorchOptimizer


class Botorch(WrapperRules, unittest.TestCase):
    budget, goal = 8, 0.1

    def make(self, **arguments):
        return BotorchOptimizer(seed=1, num_initial_samples=6, **arguments)

    def test_gives_the_function_all_results_and_constraints(self):
        asked = []

        def propose(problem):
            asked.append(problem)
            return torch.tensor([[0.2, 0.6, 0.7, 3.4, 0.8]], dtype=torch.float64)

        optimizer = BotorchOptimizer(**MIXED, num_initial_samples=2, propose=propose)
        rows = optimizer.sample(3)
        optimizer.report(rows[:1], [{"score.loss": 7}])
        optimizer.report_failed(rows[1:2])
        row = {"mix.a": 0.2, "mix.b": 0.5, "mix.k": "v", "mix.d": 4, "mix.e": 0.8}
        self.assertEqual(optimizer.sample(1), [row])
        (problem,) = asked
        self.assertEqual(problem.Y.tolist(), [[-7]])
        self.assertEqual(
            problem.X.tolist(), [[rows[0][key] if key != "mix.k" else "uv".index(rows[0][key]) for key in rows[0]]]
        )
        self.assertEqual(problem.X_pending.shape, (2, 5))
        self.assertEqual(problem.bounds.tolist(), [[0, 0, 0, 1, 0], [1, 2, 1, 4, 1]])
        ((indices, coefficients, rhs),) = problem.inequality_constraints
        self.assertEqual((indices.tolist(), coefficients.tolist(), rhs), ([0, 1], [-1, -1], -2))
        ((indices, coefficients, rhs),) = problem.equality_constraints
        self.assertEqual((indices.tolist(), coefficients.tolist(), rhs), ([0, 4], [1, 1], 1))

    def test_needs_a_function_for_several_objectives(self):
        outputs = [ContinuousOutput("score.loss", Minimize()), ContinuousOutput("score.gain", Maximize())]
        with self.assertRaisesRegex(Invalid, "need a function of yours"):
            self.make(inputs=PLAIN["inputs"], outputs=outputs)


if __name__ == "__main__":
    unittest.main()
