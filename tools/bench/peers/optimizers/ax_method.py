"""Ax."""

from __future__ import annotations

from svc_lab.optimizers import AxOptimizer
from wrapped import Wrapped, values_of


class _Ax(AxOptimizer):
    def expected(self):
        points = [dict(zip(self._names.values(), self._free.encode(run.row))) for run in self.runs("measured")]
        rows = self._client.predict(points=points)
        return [
            values_of(
                self.domain,
                [row[f"y{index}"][0] for index, _ in enumerate(self.domain.objectives)],
                [row[f"z{index}"][0] for index, _ in enumerate(self._thresholds())],
            )
            for row in rows
        ]


class Ax(Wrapped):
    def make(self, *parts, seed, initial):
        # The campaign has brought its initial points.
        options = {"initialization_budget": initial, "initialize_with_center": False}
        return _Ax(*parts, seed=seed, options=options)
