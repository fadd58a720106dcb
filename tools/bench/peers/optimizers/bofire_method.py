"""BoFire."""

from __future__ import annotations

from svc_lab.domain import fault, invalid
from svc_lab.optimizers import BofireOptimizer
from wrapped import Wrapped


class _Bofire(BofireOptimizer):
    # The wrapper has no thresholds. Strategies of BoFire take them as sigmoid objectives.
    lacks = ()

    def expected(self):
        strategy = self._map(self._strategy.model_copy(update={"seed": self.seed}))
        measured = self.runs("measured")
        strategy.tell(self._pandas.DataFrame([{**run.row, **run.outputs, **self._valid()} for run in measured]))
        found = strategy.predict(self._frame(measured))
        return [
            {name: float(row[f"{name}_pred"]) for name in self.domain.output_names} for _, row in found.iterrows()
        ]


class Bofire(Wrapped):
    """`SoboStrategy` for one objective, and `MoboStrategy` for several."""

    def make(self, inputs, outputs, constraints, *, seed, initial):
        reference = self.question["reference_point"]

        def strategy(domain):
            from bofire.data_models.objectives import api as objectives
            from bofire.data_models.strategies import api as strategies

            for each in outputs:
                limits = each.get("constraint", {})
                if len(limits) > 1 or (limits and each["objective"] is not None):
                    text = "this driver gives BoFire one threshold for an output without an objective"
                    raise invalid("the outputs are wrong", [fault("outputs", "not_supported", text)])
                kinds = {"at_least": objectives.MaximizeSigmoidObjective, "at_most": objectives.MinimizeSigmoidObjective}
                for side, limit in limits.items():
                    domain.outputs.get_by_key(each["key"]).objective = kinds[side](w=1.0, tp=limit, steepness=1000.0)
            if reference is None:
                return strategies.SoboStrategy(domain=domain)
            return strategies.MoboStrategy(domain=domain, ref_point=reference)

        return _Bofire(inputs, outputs, constraints, seed=seed, strategy=strategy, num_initial_samples=initial)
