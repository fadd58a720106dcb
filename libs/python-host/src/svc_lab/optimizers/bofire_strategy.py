"""BoFire: a strategy of a domain."""

from __future__ import annotations

from .. import domain as own
from ..domain import fault, invalid
from .domain_optimizer import DomainOptimizer, Run, library

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..domain import Row

_PACKAGE = "bofire[optimization]"
_METHODS = ("SOBOL", "LHS", "UNIFORM")


def strategies() -> Any:
    """The data models of the strategies of BoFire. Raises ImportError that says what to install without it."""
    return library("bofire.data_models.strategies.api", _PACKAGE)


class BofireOptimizer(DomainOptimizer):
    """Proposes with a strategy of BoFire, after initial points.

    Inputs, outputs and constraints are those of BoFire or of `svc_lab.optimizer`. Each call makes the strategy from all
    runs, so a new process with the same runs proposes the same rows. Runs in progress are pending candidates. Failed runs
    are too, so that the strategy avoids them.
    """

    name = "BoFire"
    lacks = ("thresholds",)

    def __init__(
        self,
        inputs: Iterable[Any] = (),
        outputs: Iterable[Any] = (),
        constraints: Iterable[Any] = (),
        *,
        seed: int = 0,
        strategy: Any = None,
        acquisition_function: Any = None,
        num_initial_samples: int | None = None,
        initial_sampling_method: str = "SOBOL",
    ) -> None:
        """`strategy` is a data model of `bofire.data_models.strategies.api`, or a function that makes one of a BoFire domain.

        A data model has a domain, so it needs no inputs and outputs. Default: `SoboStrategy` for one objective and
        `MoboStrategy` for several, with the acquisition function. `num_initial_samples` points come before the strategy;
        default: twice the inputs, from 5 to 20. `initial_sampling_method` is `SOBOL`, `LHS` or `UNIFORM`.
        """
        self._api = strategies()
        self._map = library("bofire.strategies.api", _PACKAGE).map
        self._pandas = library("pandas", _PACKAGE)
        if hasattr(strategy, "domain"):
            theirs = strategy.domain
            inputs, outputs = theirs.inputs.get(), theirs.outputs.get()
            constraints = theirs.constraints.get()
        inputs, outputs, constraints = list(inputs), list(outputs), list(constraints)
        super().__init__(map(own_of, inputs), map(own_of, outputs), map(own_of, constraints), seed=seed)
        method = getattr(initial_sampling_method, "value", initial_sampling_method)
        if str(method).upper() not in _METHODS:
            text = f"{method!r} is none of {', '.join(_METHODS)}"
            raise invalid("the arguments are wrong", [fault("initial_sampling_method", "value", text)])
        self._method = str(method).upper()
        self._initial = num_initial_samples or min(20, max(5, 2 * len(self.domain.inputs)))
        if hasattr(strategy, "domain"):
            self._strategy = strategy
            return
        theirs = self._bofire_domain(inputs, outputs, constraints)
        if strategy is not None:
            self._strategy = strategy(theirs)
            return
        made = self._api.SoboStrategy if len(self.domain.objectives) == 1 else self._api.MoboStrategy
        more = {} if acquisition_function is None else {"acquisition_function": acquisition_function}
        self._strategy = made(domain=theirs, **more)

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        known = len(self.runs())
        needs_results = isinstance(self._strategy, self._api.PredictiveStrategy)
        is_initial = needs_results and (len(self.runs("measured")) < 2 or known < self._initial)
        if is_initial:
            return [(row, None) for row in self._initial_rows(count, known)]
        strategy = self._map(self._strategy.model_copy(update={"seed": self.seed + known}))
        measured, avoided = self.runs("measured"), self.runs("pending", "failed")
        if measured:
            results = [{**run.row, **run.outputs, **self._valid()} for run in measured]
            strategy.tell(self._pandas.DataFrame(results))
        if avoided:
            strategy.set_candidates(self._frame(avoided))
        return [(row, None) for row in self._rows(strategy.ask(count))]

    def _initial_rows(self, count: int, known: int) -> list[Row]:
        """Points of one sequence without constraints, and points at random that keep them."""
        theirs = self._strategy.domain
        methods = library("bofire.data_models.enum", _PACKAGE).SamplingMethodEnum
        if len(theirs.constraints.get()) == 0 and self._method != "UNIFORM":
            # The first points of the sequence are those of the known runs.
            total = max(self._initial, known + count)
            if self._method == "SOBOL":
                total = 2 ** (total - 1).bit_length()
            frame = theirs.inputs.sample(total, method=methods[self._method], seed=self.seed)
            return self._rows(frame.iloc[known : known + count])
        random = self._api.RandomStrategy(domain=theirs, seed=self.seed + known)
        return self._rows(self._map(random).ask(count))

    def _rows(self, frame: Any) -> list[Row]:
        return frame[self.domain.input_names].to_dict("records")

    def _frame(self, runs: Sequence[Run]) -> Any:
        return self._pandas.DataFrame([run.row for run in runs], columns=self.domain.input_names)

    def _valid(self) -> dict[str, int]:
        return {f"valid_{name}": 1 for name in self.domain.output_names}

    @staticmethod
    def _bofire_domain(inputs: list[Any], outputs: list[Any], constraints: list[Any]) -> Any:
        api = library("bofire.data_models.domain.api", _PACKAGE)
        return api.Domain(
            inputs=api.Inputs(features=[_theirs(each) for each in inputs]),
            outputs=api.Outputs(features=[_theirs(each) for each in outputs]),
            constraints=api.Constraints(constraints=[_theirs(each) for each in constraints]),
        )


def own_of(each: Any) -> Any:
    """A feature, an objective or a constraint of BoFire as a declaration; anything else as it is. It imports nothing."""
    make: Callable[..., Any] | None = (
        _OWN.get(type(each).__name__) if type(each).__module__.startswith("bofire.") else None
    )
    if make is not None:
        return make(each)
    if type(each).__module__.startswith("bofire."):
        text = f"{type(each).__name__} of BoFire is none of {', '.join(_OWN)}"
        raise invalid("the domain is wrong", [fault("inputs", "not_supported", text)])
    return each


_OWN = {
    "ContinuousInput": lambda each: own.ContinuousInput(each.key, tuple(each.bounds), each.stepsize),
    "DiscreteInput": lambda each: own.DiscreteInput(each.key, list(each.values)),
    "CategoricalInput": lambda each: own.CategoricalInput(each.key, each.get_allowed_categories()),
    "ContinuousOutput": lambda each: own.ContinuousOutput(each.key, each.objective and own_of(each.objective)),
    "MinimizeObjective": lambda each: own.Minimize(each.w),
    "MaximizeObjective": lambda each: own.Maximize(each.w),
    "CloseToTargetObjective": lambda each: own.CloseToTarget(each.target_value, each.w),
    "LinearEqualityConstraint": lambda each: own.LinearEquality(each.features, each.coefficients, each.rhs),
    "LinearInequalityConstraint": lambda each: own.LinearInequality(each.features, each.coefficients, each.rhs),
    "NChooseKConstraint": lambda each: own.NChooseK(
        each.features, each.max_count, each.min_count, each.none_also_valid
    ),
}


def _theirs(each: Any) -> Any:
    """A declaration, or its JSON, as BoFire has it; anything else as it is."""
    if isinstance(each, dict):
        each = own.declared(each)
    features = library("bofire.data_models.features.api", _PACKAGE)
    constraints = library("bofire.data_models.constraints.api", _PACKAGE)
    objectives = library("bofire.data_models.objectives.api", _PACKAGE)
    if isinstance(each, own.ContinuousInput):
        return features.ContinuousInput(key=each.key, bounds=tuple(each.bounds), stepsize=each.step)
    if isinstance(each, own.DiscreteInput):
        return features.DiscreteInput(key=each.key, values=list(each.values))
    if isinstance(each, own.CategoricalInput):
        return features.CategoricalInput(key=each.key, categories=list(each.categories))
    if isinstance(each, own.ContinuousOutput):
        objective = None if each.objective is None else _theirs(each.objective)
        return features.ContinuousOutput(key=each.key, objective=objective)
    if isinstance(each, own.Minimize):
        return objectives.MinimizeObjective(w=each.weight)
    if isinstance(each, own.Maximize):
        return objectives.MaximizeObjective(w=each.weight)
    if isinstance(each, own.CloseToTarget):
        return objectives.CloseToTargetObjective(w=each.weight, target_value=each.target, exponent=1)
    if isinstance(each, own.NChooseK):
        return constraints.NChooseKConstraint(
            features=list(each.features),
            min_count=each.min_count,
            max_count=each.max_count,
            none_also_valid=each.none_also_valid,
        )
    if isinstance(each, (own.LinearEquality, own.LinearInequality)):
        kind = "LinearEqualityConstraint" if isinstance(each, own.LinearEquality) else "LinearInequalityConstraint"
        terms = {"features": list(each.features), "coefficients": list(each.coefficients), "rhs": each.rhs}
        return getattr(constraints, kind)(**terms)
    return each
