import unittest

from bofire.data_models.acquisition_functions.api import qUCB
from bofire.data_models.constraints.api import NChooseKConstraint
from bofire.data_models.domain.api import Domain
from bofire.data_models.features.api import CategoricalInput, ContinuousInput, ContinuousOutput
from bofire.data_models.objectives.api import MinimizeObjective
from bofire.data_models.strategies.api import RandomStrategy, SoboStrategy
from rules import MIXED, PLAIN, WrapperRules, loss_of

from svc_lab.optimizers import BofireOptimizer

# BoFire keeps constraints of continuous inputs without steps.
WITHOUT_STEPS = {
    **MIXED,
    "inputs": [{"key": "mix.b", "bounds": [0, 2]} if each.key == "mix.b" else each for each in MIXED["inputs"]],
}


class Bofire(WrapperRules, unittest.TestCase):
    budget, goal = 7, 0.2
    mixed = WITHOUT_STEPS

    def make(self, **arguments):
        return BofireOptimizer(seed=1, num_initial_samples=6, **arguments)

    def test_takes_a_strategy_with_its_domain(self):
        domain = Domain.from_lists(
            inputs=[
                ContinuousInput(key="mix.a", bounds=(0, 1)),
                ContinuousInput(key="mix.b", bounds=(0, 1)),
                CategoricalInput(key="mix.k", categories=["u", "v"]),
            ],
            outputs=[ContinuousOutput(key="score.loss", objective=MinimizeObjective(w=1.0))],
            constraints=[],
        )
        optimizer = BofireOptimizer(
            strategy=SoboStrategy(domain=domain, acquisition_function=qUCB(beta=1.0)), num_initial_samples=3
        )
        self.assertEqual(optimizer.get_input_names(), ["mix.a", "mix.b", "mix.k"])
        rows = optimizer.sample(3)
        optimizer.report(rows[:2], [{"score.loss": loss_of(row)} for row in rows[:2]])
        optimizer.report_failed(rows[2:])
        (row,) = optimizer.sample(1)
        self.assertNotIn(row, rows)
        self.assertIn(row["mix.k"], ["u", "v"])

    def test_keeps_constraints_of_counts(self):
        arguments = {
            **PLAIN,
            "constraints": [
                NChooseKConstraint(features=["mix.a", "mix.b"], min_count=1, max_count=1, none_also_valid=False)
            ],
        }
        optimizer = self.make(**arguments, strategy=lambda domain: RandomStrategy(domain=domain))
        for row in optimizer.sample(4):
            self.assertEqual(sum(value != 0 for value in row.values()), 1)


if __name__ == "__main__":
    unittest.main()
