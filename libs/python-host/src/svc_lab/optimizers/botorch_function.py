"""BoTorch: a function of all results returns the next candidates."""

from __future__ import annotations

from ..domain import CategoricalInput, LinearEquality, LinearInequality, fault, invalid, plain
from .domain_optimizer import DomainOptimizer, library
from .free_inputs import MOST_DRAWS, FreeInputs

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..domain import Row
    from .domain_optimizer import Run


class BotorchProblem:
    """What a function that proposes gets. Tensors are of 64 bits.

    A column of `X` is an input, in the unit of its parameter; a category is its index. `Y` is to be maximized: `Minimize`
    gives the negative value, and `CloseToTarget` the negative distance.
    """

    def __init__(self, **parts: Any) -> None:
        self.q: int = parts["q"]
        """Number of candidates."""
        self.bounds: Any = parts["bounds"]
        """2 by d."""
        self.X: Any = parts["X"]
        """n by d: measured points."""
        self.Y: Any = parts["Y"]
        """n by objectives."""
        self.excess: Any = parts["excess"]
        """n by outputs with thresholds: by how much a value misses them; 0 or less: it meets them."""
        self.X_pending: Any = parts["X_pending"]
        """Points of runs in progress, and of failed ones, which are to be avoided; None: there are none."""
        self.inequality_constraints: Any = parts["inequality_constraints"]
        """As `optimize_acqf` takes them: indices, coefficients and `rhs`, of which the sum is at least `rhs`; None: none."""
        self.equality_constraints: Any = parts["equality_constraints"]
        self.seed: int = parts["seed"]
        """Another one in each call."""
        self.domain: Any = parts["domain"]


class BotorchOptimizer(DomainOptimizer):
    """Proposes with a function that uses BoTorch, after initial points of a Sobol sequence.

    Each call gets all runs, so a new process with the same runs proposes the same rows. Candidates are rounded to steps,
    discrete values and categories.
    """

    name = "BoTorch"
    lacks = ("n_choose_k",)

    def __init__(
        self,
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        constraints: Iterable[Any] = (),
        *,
        seed: int = 0,
        propose: Callable[[BotorchProblem], Any] | None = None,
        num_initial_samples: int | None = None,
    ) -> None:
        """`propose` returns a tensor of q by d; default, for one objective without thresholds: `propose_log_noisy_ei`.

        `num_initial_samples` points come before the first call; default: twice the inputs, from 5 to 20.
        """
        super().__init__(inputs, outputs, constraints, seed=seed)
        if propose is None and (len(self.domain.objectives) > 1 or self._thresholds()):
            text = "several objectives and thresholds need a function of yours"
            raise invalid("the arguments are wrong", [fault("propose", "missing", text)])
        self._torch = library("torch", "botorch")
        library("botorch", "botorch")
        self._function = propose or propose_log_noisy_ei
        self._initial = num_initial_samples or min(20, max(5, 2 * len(self.domain.inputs)))
        self._free = FreeInputs(self.domain)

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        known = len(self.runs())
        if not self.runs("measured") or known < self._initial:
            return [(row, None) for row in self._initial_rows(count)]
        candidates = self._function(self._problem(count, known))
        table = plain(candidates)
        width = len(self.domain.inputs)
        if not isinstance(table, list) or any(not isinstance(row, list) or len(row) != width for row in table):
            raise TypeError(f"propose returned {table!r}, not a tensor of {count} by {width}")
        return [(self._row_of(values), None) for values in table]

    def _problem(self, count: int, known: int) -> BotorchProblem:
        torch = self._torch
        measured = self.runs("measured")
        avoided = self.runs("pending", "failed")

        def tensor(rows: list[list[float]]) -> Any:
            return torch.tensor(rows, dtype=torch.float64)

        inputs = self.domain.inputs
        limits = [self._limits_of(each) for each in inputs]
        return BotorchProblem(
            q=count,
            bounds=tensor([[low for low, _ in limits], [high for _, high in limits]]),
            X=tensor([self._numbers_of(run) for run in measured]),
            Y=-tensor([self.costs(run) for run in measured]),
            excess=tensor([[each.excess(run.outputs[each.key]) for each in self._thresholds()] for run in measured]),
            X_pending=tensor([self._numbers_of(run) for run in avoided]) if avoided else None,
            inequality_constraints=self._constraints(LinearInequality, -1) or None,
            equality_constraints=self._constraints(LinearEquality, 1) or None,
            seed=self.seed + known,
            domain=self.domain,
        )

    def _constraints(self, kind: type, sign: int) -> list[tuple[Any, Any, float]]:
        torch = self._torch
        names = self.domain.input_names
        return [
            (
                torch.tensor([names.index(name) for name in each.features]),
                sign * torch.tensor(each.coefficients, dtype=torch.float64),
                sign * each.rhs,
            )
            for each in self.domain.constraints
            if isinstance(each, (LinearEquality, LinearInequality)) and isinstance(each, kind)
        ]

    def _initial_rows(self, count: int) -> list[Row]:
        """The next points of one sequence, without those that do not keep the constraints or are known."""
        codes = self._free.codes
        engine = self._torch.quasirandom.SobolEngine(len(codes), scramble=True, seed=self.seed)
        seen = [run.row for run in self.runs()]
        rows: list[Row] = []
        for _ in range(MOST_DRAWS):
            for shares in engine.draw(16).tolist():
                row = self._free.decode(code.at(share) for code, share in zip(codes, shares))
                row = None if row is None else self.domain.round(row)
                if row is not None and row not in seen:
                    seen.append(row)
                    rows.append(row)
                if len(rows) == count:
                    return rows
        raise RuntimeError("no further initial point keeps the constraints: widen them, or use BofireOptimizer")

    @staticmethod
    def _limits_of(each: Any) -> tuple[float, float]:
        if isinstance(each, CategoricalInput):
            return 0, len(each.categories) - 1
        return (each.bounds[0], each.bounds[1]) if hasattr(each, "bounds") else (min(each.values), max(each.values))

    def _numbers_of(self, run: Run) -> list[float]:
        return [
            each.categories.index(run.row[each.key]) if isinstance(each, CategoricalInput) else run.row[each.key]
            for each in self.domain.inputs
        ]

    def _row_of(self, values: list[float]) -> Row:
        row = {}
        for each, value in zip(self.domain.inputs, values):
            if isinstance(each, CategoricalInput):
                row[each.key] = each.categories[min(max(round(value), 0), len(each.categories) - 1)]
            else:
                row[each.key] = value
        return row


def propose_log_noisy_ei(problem: BotorchProblem) -> Any:
    """Fits a Gaussian process to the results, and returns the candidates with the largest logarithm of the noisy expected
    improvement (Ament et al., Unexpected improvements to expected improvement, 2023)."""
    from botorch.acquisition import qLogNoisyExpectedImprovement  # type: ignore[import-not-found]
    from botorch.fit import fit_gpytorch_mll  # type: ignore[import-not-found]
    from botorch.models import SingleTaskGP  # type: ignore[import-not-found]
    from botorch.models.transforms import Normalize, Standardize  # type: ignore[import-not-found]
    from botorch.optim import optimize_acqf  # type: ignore[import-not-found]
    from botorch.utils.sampling import manual_seed  # type: ignore[import-not-found]
    from gpytorch.mlls import ExactMarginalLogLikelihood  # type: ignore[import-not-found]

    with manual_seed(problem.seed):
        model = SingleTaskGP(
            problem.X,
            problem.Y,
            input_transform=Normalize(d=problem.X.shape[-1], bounds=problem.bounds),
            outcome_transform=Standardize(m=problem.Y.shape[-1]),
        )
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        candidates, _ = optimize_acqf(
            qLogNoisyExpectedImprovement(model, X_baseline=problem.X, X_pending=problem.X_pending),
            bounds=problem.bounds,
            q=problem.q,
            num_restarts=8,
            raw_samples=128,
            sequential=problem.equality_constraints is None and problem.inequality_constraints is None,
            inequality_constraints=problem.inequality_constraints,
            equality_constraints=problem.equality_constraints,
        )
    return candidates
