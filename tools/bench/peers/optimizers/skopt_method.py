"""scikit-optimize."""

from __future__ import annotations

from svc_lab.optimizers import SkoptOptimizer
from wrapped import Wrapped, values_of


class _Skopt(SkoptOptimizer):
    def expected(self):
        measured = self.runs("measured")
        optimizer = self._skopt.Optimizer(
            [self._dimension(code) for code in self._free.codes], random_state=self.seed, **self._options
        )
        codes = [self._free.encode(run.row) for run in measured]
        optimizer.tell(codes, [self.costs(run)[0] for run in measured])
        means = optimizer.models[-1].predict(optimizer.space.transform(codes))
        return [values_of(self.domain, [float(mean)], []) for mean in means]


class Skopt(Wrapped):
    """Gaussian process and `gp_hedge`, the defaults of scikit-optimize."""

    def make(self, *parts, seed, initial):
        return _Skopt(*parts, seed=seed, options={"n_initial_points": initial})
