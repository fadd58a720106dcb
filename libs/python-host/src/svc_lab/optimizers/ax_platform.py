"""Ax: a client that attaches and completes trials."""

from __future__ import annotations

import logging

from ..domain import fault, invalid, plain
from .domain_optimizer import LiveOptimizer, Run, library
from .free_inputs import FreeInputs

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..domain import Row
    from .free_inputs import Code


class AxOptimizer(LiveOptimizer):
    """Proposes with `ax.Client`.

    Runs in progress are trials in progress, which Ax avoids. A failed run is a failed trial, which Ax leaves out of its
    models. Ax sees each input as `x0`, `x1` and so on, and minimizes the costs `y0` and so on.
    """

    name = "Ax"
    lacks = ("n_choose_k",)

    def __init__(
        self,
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        constraints: Iterable[Any] = (),
        *,
        seed: int = 0,
        options: dict[str, Any] | None = None,
    ) -> None:
        """`options` are keyword arguments of `Client.configure_generation_strategy`, such as `method`."""
        super().__init__(inputs, outputs, constraints, seed=seed)
        self._free = FreeInputs(self.domain)
        self._refuse_uneven()
        client_of, configs = library("ax.api.client", "ax-platform"), library("ax.api.configs", "ax-platform")
        # Its messages go to the log once, through `logging`.
        logging.getLogger("ax").handlers.clear()
        logging.getLogger("ax").propagate = True
        self._names = {code.key: f"x{index}" for index, code in enumerate(self._free.codes)}
        self._client_of, self._configs = client_of, configs
        self._options = dict(options or {})
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        client = self._client_of.Client(random_seed=seed)
        client.configure_experiment(
            parameters=[self._parameter(code) for code in self._free.codes],
            parameter_constraints=[self._inequality(*each) for each in self._free.inequalities],
        )
        client.configure_optimization(
            objective=", ".join(f"-y{index}" for index, _ in enumerate(self.domain.objectives)),
            outcome_constraints=[f"z{index} <= 0" for index, _ in enumerate(self._thresholds())] or None,
        )
        client.configure_generation_strategy(**{"initialization_random_seed": seed, **self._options})
        self._client = client

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        proposed: list[tuple[Row, Any]] = []
        try:
            while len(proposed) < count:
                trials = self._client.get_next_trials(max_trials=count - len(proposed))
                if not trials:
                    raise RuntimeError("Ax proposes no further trial")
                proposed += [(self._whole(parameters), index) for index, parameters in trials.items()]
        except BaseException:
            for _, index in proposed:
                self._client.mark_trial_abandoned(index)
            raise
        return proposed

    def _learn_point(self, run: Run) -> None:
        if run.token is None:
            codes = self._free.encode(run.row)
            run.token = self._client.attach_trial(parameters=dict(zip(self._names.values(), codes)))

    def _learn_result(self, run: Run) -> None:
        self._learn_point(run)
        data = {f"y{index}": cost for index, cost in enumerate(self.costs(run))}
        for index, each in enumerate(self._thresholds()):
            data[f"z{index}"] = each.excess(run.outputs[each.key])
        self._client.complete_trial(run.token, raw_data=data)

    def _forget(self, run: Run) -> None:
        if run.token is not None:
            self._client.mark_trial_failed(run.token)
            run.token = None

    def _whole(self, parameters: Mapping[str, Any]) -> Row:
        row = self._free.decode(plain(parameters[name]) for name in self._names.values())
        if row is None:
            raise RuntimeError(f"Ax proposed {dict(parameters)}, which does not keep the constraints")
        return row

    def _refuse_uneven(self) -> None:
        uneven = [code.key for code in self._free.codes if not code.is_even]
        found = [key for factors, _ in self._free.inequalities for key in factors if key in uneven]
        if found:
            text = f"Ax keeps to no constraint of the discrete input {found[0]}"
            hint = "declare it as ContinuousInput with a step"
            raise invalid("the library cannot keep to the domain", [fault("constraints", "not_supported", text, hint)])

    def _parameter(self, code: Code) -> Any:
        configs, name = self._configs, self._names[code.key]
        if code.kind == "category":
            return configs.ChoiceParameterConfig(
                name=name, values=code.categories, parameter_type="str", is_ordered=False
            )
        if code.high == code.low:
            return configs.ChoiceParameterConfig(name=name, values=[int(code.low)], parameter_type="int")
        kind = "float" if code.kind == "real" else "int"
        return configs.RangeParameterConfig(name=name, bounds=(code.low, code.high), parameter_type=kind)

    def _inequality(self, factors: Mapping[str, float], most: float) -> str:
        codes = {code.key: code for code in self._free.codes}
        terms = []
        for key, factor in factors.items():
            constant, share = codes[key].linear(factor)
            most -= constant
            terms.append(f"{share!r} * {self._names[key]}")
        return f"{' + '.join(terms)} <= {most!r}"
