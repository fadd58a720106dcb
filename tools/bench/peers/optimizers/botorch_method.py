"""BoTorch with what its documentation recommends for each kind of problem."""

from __future__ import annotations

import itertools
import math

import torch
from botorch.acquisition.factory import get_acquisition_function
from botorch.acquisition.multi_objective.objective import IdentityMCMultiOutputObjective
from botorch.acquisition.objective import GenericMCObjective
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, ModelListGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf, optimize_acqf_discrete, optimize_acqf_mixed_alternating
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import SumMarginalLogLikelihood

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)

RESTARTS, RAW_SAMPLES = 10, 512
"""Of the tutorials of BoTorch."""
MOST_CHOICES = 5_000
"""A domain without continuous inputs and with at most this many points is searched whole."""


class BotorchMethod:
    """`SingleTaskGP` for each output, `MixedSingleTaskGP` with categories; noise is fitted unless there is none.

    One objective: `qLogEI` without noise, `qLogNEI` with noise or thresholds, and `qLogPF` until a result keeps the thresholds.
    Several objectives: `qLogNEHVI`. Numbers are scaled to 0..1, and categories are whole numbers.
    """

    def __init__(self, question: dict) -> None:
        space = question["space"]
        self.inputs, self.outputs = space["inputs"], space["outputs"]
        self.noiseless, self.seed = question["noiseless"], question["seed"]
        self.objectives = [each for each in self.outputs if each["objective"] is not None]
        limited = ((each, side, limit) for each in self.outputs for side, limit in each.get("constraint", {}).items())
        self.limits = [(each["key"], 1 if side == "at_most" else -1, limit) for each, side, limit in limited]
        reference = question["reference_point"]
        self.reference = reference and [-cost_of(each) * reference[each["key"]] for each in self.objectives]
        self.values = [values_of(each) for each in self.inputs]
        self.cat_dims = [i for i, each in enumerate(self.inputs) if each["kind"] == "categorical"]
        self.inequalities, self.equalities = self._constraints(space["constraints"])
        self.rows: list[dict] = []
        self.results: list[dict] = []
        self.pending: list[dict] = []

    def report(self, rows: list[dict], results: list[dict]) -> None:
        self.pending = [row for row in self.pending if row not in rows]
        self.rows += rows
        self.results += results

    def propose(self, count: int) -> list[dict]:
        with manual_seed(self.seed * 1_000 + len(self.rows) + len(self.pending)):
            candidates = self._search(self._acquisition(), count)
        rows = [self._row_of(values) for values in candidates.tolist()]
        self.pending += rows
        return rows

    def expected(self) -> list[dict]:
        means = self._model().posterior(self._points(self.rows)).mean.tolist()
        rows = []
        for mean in means:
            costs = [-cost_of(each) * value for each, value in zip(self.objectives, mean)]
            row = {each["key"]: cost for each, cost in zip(self.objectives, costs)}
            for (key, sign, limit), excess in zip(self.limits, mean[len(self.objectives) :]):
                row.setdefault(key, limit + sign * excess)
            rows.append(row)
        return rows

    def _targets(self) -> torch.Tensor:
        """A column for each objective, to be maximized, and one for each threshold, which is kept at 0 or less."""
        return torch.tensor(
            [
                [-cost_of(each) * result[each["key"]] for each in self.objectives]
                + [sign * (result[key] - limit) for key, sign, limit in self.limits]
                for result in self.results
            ]
        )

    def _model(self) -> ModelListGP:
        points, targets = self._points(self.rows), self._targets()
        models = []
        for column in targets.split(1, dim=-1):
            noise = torch.full_like(column, 1e-6 * max(float(column.var()), 1e-12)) if self.noiseless else None
            more = {"train_Yvar": noise, "outcome_transform": Standardize(m=1)}
            if self.cat_dims:
                models.append(MixedSingleTaskGP(points, column, cat_dims=self.cat_dims, **more))
            else:
                models.append(SingleTaskGP(points, column, **more))
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        return model

    def _acquisition(self) -> object:
        model, targets, many = self._model(), self._targets(), len(self.objectives)
        constraints = [(lambda samples, at=many + k: samples[..., at]) for k, _ in enumerate(self.limits)]
        is_feasible = bool((targets[:, many:] <= 0).all(dim=-1).any())
        if many > 1:
            name, objective = "qLogNEHVI", IdentityMCMultiOutputObjective(outcomes=list(range(many)))
        else:
            name = "qLogNEI" if self.limits or not self.noiseless else "qLogEI"
            objective = GenericMCObjective(lambda samples, X=None: samples[..., 0])
        if not is_feasible:
            name = "qLogPF"
        return get_acquisition_function(
            name,
            model=model,
            objective=objective,
            X_observed=self._points(self.rows),
            X_pending=self._points(self.pending) if self.pending else None,
            constraints=constraints or None,
            ref_point=self.reference,
            mc_samples=128,
            seed=self.seed,
        )

    def _search(self, acquisition: object, count: int) -> torch.Tensor:
        sizes = [len(values) if values else math.inf for values in self.values]
        if math.prod(sizes) <= MOST_CHOICES:
            choices = torch.tensor(list(itertools.product(*self.values)), dtype=torch.float64)
            known = self._points([*self.rows, *self.pending])
            return optimize_acqf_discrete(acquisition, q=count, choices=choices, X_avoid=known, unique=True)[0]
        tops = [len(values) - 1 if i in self.cat_dims else 1 for i, values in enumerate(self.values)]
        bounds = torch.tensor([[0.0] * len(tops), tops])
        common = {"q": count, "num_restarts": RESTARTS, "raw_samples": RAW_SAMPLES}
        if any(self.values):
            if self.equalities:
                raise NotImplementedError("equalities beside steps or categories are not in this driver")
            stepped = {i: values for i, values in enumerate(self.values) if values and i not in self.cat_dims}
            return optimize_acqf_mixed_alternating(
                acquisition,
                bounds,
                discrete_dims=stepped or None,
                cat_dims={i: self.values[i] for i in self.cat_dims} or None,
                inequality_constraints=self.inequalities or None,
                **common,
            )[0]
        return optimize_acqf(
            acquisition,
            bounds,
            sequential=True,
            inequality_constraints=self.inequalities or None,
            equality_constraints=self.equalities or None,
            **common,
        )[0]

    def _points(self, rows: list[dict]) -> torch.Tensor:
        return torch.tensor([[number_of(each, row[each["key"]]) for each in self.inputs] for row in rows])

    def _row_of(self, numbers: list[float]) -> dict:
        row = {}
        for each, values, number in zip(self.inputs, self.values, numbers):
            if values:
                number = min(values, key=lambda value: abs(value - number))
            if each["kind"] == "categorical":
                row[each["key"]] = each["categories"][round(number)]
                continue
            low, high = limits_of(each)
            value = min(max(low + (high - low) * number, low), high)
            row[each["key"]] = nearest(each, value)
        return row

    def _constraints(self, constraints: list[dict]) -> tuple[list, list]:
        """In scaled numbers, as `optimize_acqf` takes them: at least, and equal to."""
        names = [each["key"] for each in self.inputs]
        inequalities, equalities = [], []
        for each in constraints:
            if each["kind"] == "n_choose_k":
                raise NotImplementedError("BoTorch knows no number of inputs that may differ from 0")
            indices = [names.index(key) for key in each["features"]]
            scales = [limits_of(self.inputs[i]) for i in indices]
            factors = [factor * (high - low) for factor, (low, high) in zip(each["coefficients"], scales)]
            rest = each["rhs"] - sum(factor * low for factor, (low, _) in zip(each["coefficients"], scales))
            sign = 1 if each["kind"] == "linear_equality" else -1
            found = (torch.tensor(indices), sign * torch.tensor(factors, dtype=torch.float64), sign * rest)
            (equalities if sign == 1 else inequalities).append(found)
        return inequalities, equalities


def cost_of(output: dict) -> int:
    """1 if less is better, else -1."""
    return -1 if output["objective"]["kind"] == "maximize" else 1


def limits_of(each: dict) -> tuple[float, float]:
    return tuple(each["bounds"]) if each["kind"] == "continuous" else (min(each["values"]), max(each["values"]))


def number_of(each: dict, value: object) -> float:
    if each["kind"] == "categorical":
        return float(each["categories"].index(value))
    low, high = limits_of(each)
    return (value - low) / (high - low)


def nearest(each: dict, value: float) -> float:
    """The value itself, or the nearest allowed one."""
    if each["kind"] == "discrete":
        return min(each["values"], key=lambda allowed: abs(allowed - value))
    step, low = each.get("step"), each["bounds"][0]
    return value if step is None else low + step * round((value - low) / step)


def values_of(each: dict) -> list[float]:
    """The scaled values that an input may have; empty: any."""
    if each["kind"] == "categorical":
        return [float(i) for i, _ in enumerate(each["categories"])]
    if each["kind"] == "discrete":
        return [number_of(each, value) for value in sorted(each["values"])]
    if each.get("step") is None:
        return []
    low, high = each["bounds"]
    return [step * each["step"] / (high - low) for step in range(math.floor((high - low) / each["step"] + 1e-9) + 1)]
