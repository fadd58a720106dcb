import unittest

from rules import MIXED, PLAIN, WrapperRules

from svc_lab.optimizer import ContinuousInput, ContinuousOutput, DiscreteInput, Invalid, LinearInequality, Maximize
from svc_lab.optimizers import AxOptimizer

WITHOUT_CATEGORY = {**MIXED, "inputs": [each for each in MIXED["inputs"] if each.key != "mix.k"]}


class Ax(WrapperRules, unittest.TestCase):
    budget, goal = 6, 0.5
    mixed = WITHOUT_CATEGORY

    def make(self, **arguments):
        return AxOptimizer(seed=1, options={"method": "random_search"}, **arguments)

    def test_takes_several_objectives_and_thresholds(self):
        outputs = [
            *PLAIN["outputs"],
            ContinuousOutput("score.gain", Maximize()),
            ContinuousOutput("score.cost", at_most=3),
        ]
        optimizer = self.make(inputs=MIXED["inputs"], outputs=outputs)
        rows = optimizer.sample(2)
        optimizer.report(rows, [{"score.loss": 1, "score.gain": 2, "score.cost": 4} for _ in rows])
        data = optimizer._client.summarize()
        self.assertEqual(list(data["y1"]), [-2, -2])
        self.assertEqual(list(data["z0"]), [1, 1])

    def test_fits_a_model_after_its_initial_trials(self):
        optimizer = AxOptimizer(**PLAIN, seed=1, options={"initialization_budget": 2})
        for number in range(3):
            rows = optimizer.sample(1, run_names=[f"r{number}"])
            optimizer.report(rows, [{"score.loss": rows[0]["mix.a"]}], run_names=[f"r{number}"])
        nodes = [
            trial.generator_runs[0]._generation_node_name for trial in optimizer._client._experiment.trials.values()
        ]
        self.assertEqual(nodes[-1], "MBM")

    def test_refuses_what_the_library_cannot_do(self):
        inputs = [ContinuousInput("mix.a", (0, 1)), DiscreteInput("mix.d", [1, 2, 4])]
        constraints = [LinearInequality(["mix.a", "mix.d"], [1, 1], 3)]
        with self.assertRaisesRegex(Invalid, "no constraint of the discrete input mix.d"):
            self.make(inputs=inputs, outputs=PLAIN["outputs"], constraints=constraints)


if __name__ == "__main__":
    unittest.main()
