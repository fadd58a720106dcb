"""Ax, BoFire, Optuna and scikit-optimize by the wrappers of `svc_lab.optimizers`, with the defaults of the libraries."""

from __future__ import annotations

from svc_lab.domain import fault, invalid
from svc_lab.optimizers import AxOptimizer, BofireOptimizer, OptunaOptimizer, SkoptOptimizer


class Wrapped:
    """A method of the driver. A subclass says how the wrapper is made, and what its model expects."""

    def __init__(self, question: dict) -> None:
        space = question["space"]
        parts = [space[name] for name in ("inputs", "outputs", "constraints")]
        self.question = question
        self.rows: list[dict] = []
        self.optimizer = self.make(*parts, seed=question["seed"], initial=question["initial"])

    def make(self, *parts: list, seed: int, initial: int) -> object:
        raise NotImplementedError

    def report(self, rows: list[dict], results: list[dict]) -> None:
        self.rows += rows
        self.optimizer.report(rows, results)

    def propose(self, count: int) -> list[dict]:
        return self.optimizer.sample(count)

    def expected(self) -> list[dict] | None:
        if not hasattr(self.optimizer, "expected"):
            return None
        # The wrapper has its runs in the order in which they began.
        check = self.optimizer.domain.check
        means = {_name_of(run.row): mean for run, mean in zip(self.optimizer.runs("measured"), self.optimizer.expected())}
        return [means[_name_of(check(row))] for row in self.rows]


def _name_of(row: dict) -> str:
    return repr(sorted(row.items()))


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


class _Skopt(SkoptOptimizer):
    def expected(self):
        measured = self.runs("measured")
        optimizer = self._skopt.Optimizer(
            [self._dimension(code) for code in self._free.codes], random_state=self.seed, **self._options
        )
        codes = [self._free.encode(run.row) for run in measured]
        optimizer.tell(codes, [self.costs(run)[0] for run in measured])
        means = optimizer.models[-1].predict(optimizer.space.transform(codes))
        return [_values(self.domain, [float(mean)], []) for mean in means]


class Skopt(Wrapped):
    """Gaussian process and `gp_hedge`, the defaults of scikit-optimize."""

    def make(self, *parts, seed, initial):
        return _Skopt(*parts, seed=seed, options={"n_initial_points": initial})


class _Ax(AxOptimizer):
    def expected(self):
        points = [dict(zip(self._names.values(), self._free.encode(run.row))) for run in self.runs("measured")]
        rows = self._client.predict(points=points)
        return [
            _values(
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


def _values(domain, costs: list[float], excesses: list[float]) -> dict[str, float]:
    """Expected outputs from the costs and excesses that a library predicts."""
    values = {}
    for output, cost in zip(domain.objectives, costs):
        values[output.key] = output.cost(cost)
    limited = [each for each in domain.outputs if each.at_least is not None or each.at_most is not None]
    for output, excess in zip(limited, excesses):
        values[output.key] = output.at_most + excess if output.at_least is None else output.at_least - excess
    return values


METHODS = {"optuna": Optuna, "optuna_gp": OptunaGp, "skopt": Skopt, "ax": Ax, "bofire": Bofire}
