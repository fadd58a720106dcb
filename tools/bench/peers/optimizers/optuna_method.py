"""Optuna."""

from __future__ import annotations

from svc_lab.optimizers import OptunaOptimizer
from wrapped import Wrapped


class Optuna(Wrapped):
    """The tree-structured Parzen estimator, the default of Optuna."""

    def make(self, *parts, seed, initial):
        return OptunaOptimizer(*parts, seed=seed)


class OptunaGp(Wrapped):
    def make(self, *parts, seed, initial):
        from optuna.samplers import GPSampler

        exact = self.question["noiseless"]
        return OptunaOptimizer(
            *parts,
            seed=seed,
            sampler=lambda each: GPSampler(seed=each, n_startup_trials=initial, deterministic_objective=exact),
        )
