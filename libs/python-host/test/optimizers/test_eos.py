"""The optimizers that EOS ships, with BoFire."""

import asyncio
import unittest

import pandas as pd
from bofire.data_models.acquisition_functions.api import qLogNEI, qUCB
from bofire.data_models.constraints.api import LinearInequalityConstraint
from bofire.data_models.enum import SamplingMethodEnum
from bofire.data_models.features.api import (
    CategoricalInput,
    CategoricalOutput,
    ContinuousInput,
    ContinuousOutput,
    DiscreteInput,
)
from bofire.data_models.objectives.api import ConstrainedCategoricalObjective, MaximizeObjective, MinimizeObjective
from bofire.data_models.surrogates.api import BotorchSurrogates, SingleTaskGPSurrogate

from svc_lab.domain import Invalid
from svc_lab.eos.beacon import BeaconOptimizer
from svc_lab.eos.errors import EosCampaignOptimizerDomainError
from svc_lab.eos.optimizer import AbstractSequentialOptimizer, BayesianSequentialOptimizer

INPUTS = [ContinuousInput(key="mix.a", bounds=(0, 1)), ContinuousInput(key="mix.b", bounds=(0, 1))]
OUTPUTS = [ContinuousOutput(key="score.loss", objective=MinimizeObjective(w=1.0))]
PLAIN = {"inputs": INPUTS, "outputs": OUTPUTS, "constraints": [], "num_initial_samples": 3}


def losses(table):
    return pd.DataFrame({"score.loss": (table["mix.a"] - 0.3) ** 2 + (table["mix.b"] - 0.5) ** 2})


class Bayesian(unittest.TestCase):
    def made(self, **arguments):
        return BayesianSequentialOptimizer(
            **{
                **PLAIN,
                "acquisition_function": qUCB(beta=1),
                "initial_sampling_method": SamplingMethodEnum.SOBOL,
                **arguments,
            }
        )

    def test_finds_better_points_by_its_strategy(self):
        optimizer = self.made()
        first = optimizer.sample(3)
        self.assertEqual(list(first.columns), ["mix.a", "mix.b"])
        optimizer.report(first, losses(first))
        for _ in range(4):
            row = optimizer.sample()
            optimizer.report(row, losses(row))
        self.assertEqual(optimizer.get_num_samples_reported(), 7)
        best = optimizer.get_optimal_solutions()
        self.assertEqual(list(best.columns), ["mix.a", "mix.b", "score.loss"])
        self.assertLess(best["score.loss"].iloc[0], losses(first)["score.loss"].min())

    def test_keeps_constraints_in_its_first_points_and_after_them(self):
        at_most = LinearInequalityConstraint(features=["mix.a", "mix.b"], coefficients=[1, 1], rhs=0.8)
        optimizer = self.made(constraints=[at_most], num_initial_samples=2)
        rows = optimizer.sample(2)
        optimizer.report(rows, losses(rows))
        rows = pd.concat([rows, optimizer.sample(1)])
        self.assertLessEqual((rows["mix.a"] + rows["mix.b"]).max(), 0.8 + 1e-6)

    def test_takes_several_outputs_and_surrogates_of_the_author(self):
        outputs = [*OUTPUTS, ContinuousOutput(key="score.gain", objective=MaximizeObjective(w=1.0))]
        specs = BotorchSurrogates(
            surrogates=[
                SingleTaskGPSurrogate(
                    inputs={"type": "Inputs", "features": INPUTS},
                    outputs={"type": "Outputs", "features": [output]},
                )
                for output in outputs
            ]
        )
        optimizer = self.made(outputs=outputs, acquisition_function=None, surrogate_specs=specs, num_initial_samples=0)
        rows = optimizer.sample(3)
        results = losses(rows).assign(**{"score.gain": rows["mix.a"]})
        optimizer.report(rows, results)
        best = optimizer.get_optimal_solutions()
        self.assertEqual(list(best.columns), ["mix.a", "mix.b", "score.loss", "score.gain"])

    def test_says_which_column_is_missing_and_what_it_cannot_do(self):
        optimizer = self.made()
        rows = optimizer.sample(1)
        with self.assertRaisesRegex(EosCampaignOptimizerDomainError, "Missing output columns: score.loss"):
            optimizer.report(rows, pd.DataFrame({"score.other": [1]}))
        kinds = ["u", "v"]
        objective = ConstrainedCategoricalObjective(categories=kinds, desirability=[True, False])
        output = CategoricalOutput(key="score.kind", categories=kinds, objective=objective)
        with self.assertRaisesRegex(Invalid, "CategoricalOutput of BoFire is none of"):
            self.made(outputs=[output])


class Given(AbstractSequentialOptimizer):
    """Draws in a row, as a plugged-in optimizer of an author."""

    def __init__(self, output):
        self.output, self.told = output, []

    def sample(self, num_protocol_runs=1):
        return pd.DataFrame([{"mix.d": 2 + len(self.told) + i, "mix.k": "u"} for i in range(num_protocol_runs)])

    def report(self, inputs_df, outputs_df):
        self.told += pd.concat([inputs_df, outputs_df], axis=1).to_dict("records")

    def get_optimal_solutions(self):
        return pd.DataFrame(self.told)

    def get_input_names(self):
        return ["mix.d", "mix.k"]

    def get_output_names(self):
        return [self.output]

    def get_num_samples_reported(self):
        return len(self.told)


class GivenCampaign(BeaconOptimizer):
    def _create_optimizer(self, inputs, outputs, constraints):
        return Given(outputs[0].key)


class Beacon(unittest.TestCase):
    def test_with_the_optimizer_alone_proposes_as_the_bayesian_one(self):
        settings = {"p_bayesian": 1.0, "p_ai": 0.0, "acquisition_function": qLogNEI()}
        optimizer = BeaconOptimizer(**PLAIN, **settings)
        rows = asyncio.run(optimizer.sample(2))
        plain = BayesianSequentialOptimizer(**PLAIN, acquisition_function=qLogNEI())
        pd.testing.assert_frame_equal(rows, plain.sample(2))
        asyncio.run(optimizer.report(rows, losses(rows)))
        self.assertEqual(optimizer.get_num_samples_reported(), 2)
        self.assertEqual(len(optimizer.get_optimal_solutions()), 1)
        self.assertEqual(optimizer.last_sample()["rows"][0]["source"], "optimizer")

    def test_takes_an_optimizer_of_the_author_with_a_domain_of_bofire(self):
        optimizer = GivenCampaign(
            inputs=[DiscreteInput(key="mix.d", values=[2, 3, 4]), CategoricalInput(key="mix.k", categories=["u", "v"])],
            outputs=OUTPUTS,
            p_bayesian=1.0,
            p_ai=0.0,
        )
        rows = asyncio.run(optimizer.sample(2))
        self.assertEqual(rows.to_dict("records"), [{"mix.d": 2, "mix.k": "u"}, {"mix.d": 3, "mix.k": "u"}])
        asyncio.run(optimizer.report(rows[:1], pd.DataFrame({"score.loss": [5.0], "look.red": [1]})))
        self.assertEqual(
            optimizer.get_optimal_solutions().to_dict("records"), [{"mix.d": 2, "mix.k": "u", "score.loss": 5.0}]
        )

    def test_refuses_probabilities_that_do_not_add_up(self):
        with self.assertRaisesRegex(ValueError, "must equal 1"):
            BeaconOptimizer(**PLAIN, p_bayesian=0.7, p_ai=0.5)


if __name__ == "__main__":
    unittest.main()
