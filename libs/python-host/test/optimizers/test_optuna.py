import unittest

import optuna
from rules import MIXED, PLAIN, WrapperRules

from svc_lab.optimizer import CloseToTarget, ContinuousOutput, Invalid, Maximize, NChooseK
from svc_lab.optimizers import HybridOptimizer, OptunaOptimizer


class Optuna(WrapperRules, unittest.TestCase):
    budget, goal = 40, 0.02

    def make(self, **arguments):
        return OptunaOptimizer(seed=1, **arguments)

    def test_uses_a_sampler_of_the_author(self):
        sampler = optuna.samplers.QMCSampler(seed=2)
        rows = OptunaOptimizer(**PLAIN, sampler=sampler).sample(8)
        self.assertEqual(len({row["mix.a"] for row in rows}), 8)

    def test_takes_several_objectives_and_thresholds(self):
        outputs = [
            ContinuousOutput("score.gain", Maximize()),
            ContinuousOutput("score.hue", CloseToTarget(5)),
            ContinuousOutput("score.cost", at_most=3),
        ]
        optimizer = self.make(inputs=MIXED["inputs"], outputs=outputs)
        rows = optimizer.sample(3)
        results = [{"score.gain": 3 - index, "score.hue": 4, "score.cost": 3 + index} for index in range(3)]
        optimizer.report(rows[:2], results[:2])
        optimizer.report([{**rows[2], "mix.k": "v"}], results[2:])
        trials = [trial for trial in optimizer._study.trials if trial.values]
        self.assertEqual([trial.values for trial in trials], [[-3, 1], [-2, 1], [-1, 1]])
        self.assertEqual([trial.constraints for trial in trials], [{"score.cost": each} for each in (0, 1, 2)])
        self.assertEqual([row["score.gain"] for row in optimizer.get_optimal_solutions()], [3])

    def test_is_the_plugged_in_optimizer_of_a_hybrid_one(self):
        optimizer = HybridOptimizer(**MIXED, plugged_in=OptunaOptimizer, seed=1)
        self.history(optimizer)
        (row,) = optimizer.sample(1, run_names=["run_5"])
        self.assertEqual(optimizer.domain.check(row), row)
        self.assertEqual(optimizer.get_num_samples_reported(), 3)
        self.assertEqual([run.state for run in optimizer.runs()].count("failed"), 1)

    def test_refuses_what_the_library_cannot_do(self):
        with self.assertRaisesRegex(Invalid, "Optuna keeps to no constraint of the kind n_choose_k"):
            self.make(**{**PLAIN, "constraints": [NChooseK(["mix.a", "mix.b"], 1)]})


if __name__ == "__main__":
    unittest.main()
