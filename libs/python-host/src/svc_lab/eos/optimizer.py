"""Campaign optimizers as EOS has them: tables are data frames of pandas, and columns are `TASK.PARAMETER`."""

from __future__ import annotations

import abc

from ..host.tables import to_frame
from ..optimizers.bofire_strategy import BofireOptimizer, strategies
from .errors import EosCampaignOptimizerDomainError

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Row = dict[str, Any]


class AbstractSequentialOptimizer(abc.ABC):
    """What an optimizer of a package of EOS extends. `campaign.py` lets it serve a campaign of this service."""

    @abc.abstractmethod
    def sample(self, num_protocol_runs: int = 1) -> Any:
        """Returns a data frame with one row per protocol run and one column per input."""

    @abc.abstractmethod
    def report(self, inputs_df: Any, outputs_df: Any) -> Any:
        """Takes results: row i of `outputs_df` is that of row i of `inputs_df`."""

    @abc.abstractmethod
    def get_optimal_solutions(self) -> Any:
        """Returns a data frame with the inputs and outputs of the best results."""

    @abc.abstractmethod
    def get_input_names(self) -> list[str]: ...

    @abc.abstractmethod
    def get_output_names(self) -> list[str]: ...

    @abc.abstractmethod
    def get_num_samples_reported(self) -> int: ...


class BayesianSequentialOptimizer(AbstractSequentialOptimizer):
    """The optimizer of EOS with a strategy of BoFire, by `svc_lab.optimizers.BofireOptimizer`.

    Beyond EOS, it learns of failed runs, and a run keeps its result under its name when the service has rounded its values.
    """

    def __init__(  # noqa: PLR0917 -- as in EOS
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        constraints: Sequence[Any],
        acquisition_function: Any,
        num_initial_samples: int,
        initial_sampling_method: Any = "SOBOL",
        surrogate_specs: Any = None,
    ) -> None:
        """`surrogate_specs` are `BotorchSurrogates` of BoFire; None: those that BoFire chooses.

        Raises `Invalid` when the domain is wrong, and ImportError that says what to install without BoFire or pandas.
        """
        given = {"acquisition_function": acquisition_function, "surrogate_specs": surrogate_specs}
        settings = {key: value for key, value in given.items() if value is not None}
        kind = "SoboStrategy" if len(outputs) == 1 else "MoboStrategy"
        self._runs = BofireOptimizer(
            inputs,
            outputs,
            constraints,
            strategy=lambda domain: getattr(strategies(), kind)(domain=domain, **settings),
            # A model needs results, so EOS draws the first points without it, whatever the number is.
            num_initial_samples=max(1, num_initial_samples),
            initial_sampling_method=initial_sampling_method,
        )

    def sample(self, num_protocol_runs: int = 1, run_names: Sequence[str] | None = None) -> Any:
        return to_frame(self._runs.sample(num_protocol_runs, run_names))

    def report(self, inputs_df: Any, outputs_df: Any, run_names: Sequence[str] | None = None) -> None:
        """Raises EosCampaignOptimizerDomainError when a column is missing."""
        inputs = _columns(inputs_df, self.get_input_names(), "input")
        outputs = _columns(outputs_df, self.get_output_names(), "output")
        self._runs.report(inputs, outputs, run_names)

    def report_started(self, inputs_df: Any, run_names: Sequence[str] | None = None) -> None:
        self._runs.report_started(_columns(inputs_df, self.get_input_names(), "input"), run_names)

    def report_failed(self, inputs_df: Any, run_names: Sequence[str] | None = None) -> None:
        self._runs.report_failed(_columns(inputs_df, self.get_input_names(), "input"), run_names)

    def get_optimal_solutions(self) -> Any:
        return to_frame(self._runs.get_optimal_solutions())

    def get_input_names(self) -> list[str]:
        return self._runs.get_input_names()

    def get_output_names(self) -> list[str]:
        return self._runs.get_output_names()

    def get_num_samples_reported(self) -> int:
        return self._runs.get_num_samples_reported()


def _columns(table: Any, names: Sequence[str], what: str) -> list[Row]:
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise EosCampaignOptimizerDomainError(f"Missing {what} columns: {', '.join(missing)}")
    return table[list(names)].to_dict("records")
