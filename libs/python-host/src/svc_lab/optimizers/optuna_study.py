"""Optuna: a study that is asked and told."""

from __future__ import annotations

from ..domain import fault, invalid
from .domain_optimizer import LiveOptimizer, Run, library
from .free_inputs import FreeInputs

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..domain import Row
    from .free_inputs import Code


class OptunaOptimizer(LiveOptimizer):
    """Proposes with a sampler of Optuna.

    Runs in progress are running trials of the study, which samplers with a constant liar avoid. A failed run is a failed
    trial, from which samplers learn nothing, so its point may come again.
    """

    name = "Optuna"
    lacks = ("n_choose_k",)

    def __init__(
        self,
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        constraints: Iterable[Any] = (),
        *,
        seed: int = 0,
        sampler: Any = None,
    ) -> None:
        """`sampler` is one of `optuna.samplers`, or a function of a seed that makes one.

        Default: `TPESampler` with a constant liar.
        """
        super().__init__(inputs, outputs, constraints, seed=seed)
        self._free = FreeInputs(self.domain)
        self._optuna = optuna = library("optuna", "optuna")
        if self._thresholds() and not hasattr(optuna.trial.Trial, "set_constraint"):
            text = f"Optuna {optuna.__version__} takes no thresholds from a study that is asked and told"
            raise invalid(
                "the library is too old", [fault("outputs", "not_supported", text, "install Optuna 5 or later")]
            )
        optuna.logging.disable_default_handler()
        optuna.logging.enable_propagation()
        self._distributions = {code.key: self._distribution_of(code) for code in self._free.codes}
        self._sampler = sampler
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        sampler, samplers = self._sampler, self._optuna.samplers
        if sampler is None:
            sampler = samplers.TPESampler(seed=seed, constant_liar=True)
        elif not isinstance(sampler, samplers.BaseSampler):
            sampler = sampler(seed)
        elif seed != self.seed:
            sampler.reseed_rng()
        directions = ["minimize"] * len(self.domain.objectives)
        self._study = self._optuna.create_study(directions=directions, sampler=sampler)

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        proposed: list[tuple[Row, Any]] = []
        try:
            for _ in range(count):
                proposed.append(self._free.draw(self._ask, self._give_up))
        except BaseException:
            for _, number in proposed:
                self._give_up(number)
            raise
        return proposed

    def _ask(self) -> tuple[list[Any], int]:
        trial = self._study.ask(fixed_distributions=self._distributions)
        return [trial.params[key] for key in self._distributions], trial.number

    def _learn_point(self, run: Run) -> None:
        if run.token is None:
            self._add(run, self._optuna.trial.TrialState.RUNNING)
            run.token = len(self._study.trials) - 1

    def _learn_result(self, run: Run) -> None:
        if run.token is None:
            self._add(run, self._optuna.trial.TrialState.COMPLETE)
            return
        if self._thresholds():
            trial = self._optuna.trial.Trial(self._study, self._study.trials[run.token]._trial_id)
            for name, amount in self._excesses(run).items():
                trial.set_constraint(name, amount)
        self._study.tell(run.token, self.costs(run))

    def _forget(self, run: Run) -> None:
        if run.token is not None:
            self._give_up(run.token)
            run.token = None

    def _give_up(self, number: int) -> None:
        self._study.tell(number, state=self._optuna.trial.TrialState.FAIL)

    def _add(self, run: Run, state: Any) -> None:
        is_whole = state == self._optuna.trial.TrialState.COMPLETE
        more = {"constraints": self._excesses(run)} if is_whole and self._thresholds() else {}
        self._study.add_trial(
            self._optuna.trial.create_trial(
                state=state,
                values=self.costs(run) if is_whole else None,
                params=dict(zip(self._distributions, self._free.encode(run.row))),
                distributions=self._distributions,
                **more,
            )
        )

    def _excesses(self, run: Run) -> dict[str, float]:
        return {each.key: each.excess(run.outputs[each.key]) for each in self._thresholds()}

    def _distribution_of(self, code: Code) -> Any:
        made = self._optuna.distributions
        if code.kind == "category":
            return made.CategoricalDistribution(code.categories)
        return (made.FloatDistribution if code.kind == "real" else made.IntDistribution)(code.low, code.high)
