"""The base class of optimizers, and the declarations of what they choose and learn."""

from __future__ import annotations

from .domain import (
    CategoricalInput,
    CloseToTarget,
    ContinuousInput,
    ContinuousOutput,
    DiscreteInput,
    Domain,
    Invalid,
    LinearEquality,
    LinearInequality,
    Maximize,
    Minimize,
    NChooseK,
)

# See device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Table = Sequence[dict[str, Any]]

__all__ = [
    "AbstractSequentialOptimizer",
    "CategoricalInput",
    "CloseToTarget",
    "ContinuousInput",
    "ContinuousOutput",
    "DiscreteInput",
    "Domain",
    "Invalid",
    "LinearEquality",
    "LinearInequality",
    "Maximize",
    "Minimize",
    "NChooseK",
]


class AbstractSequentialOptimizer:
    """Proposes the parameters of the next protocol runs of a campaign from the results of past runs.

    Extend it in the file `optimizer.py` beside `experiment.yml`. That file has a function `svc_create_campaign_optimizer`
    that returns the constructor arguments, a dict, and the class. The class gets the arguments by name.

    A table is a list of rows, and a row is a dict by `TASK.PARAMETER`. An optimizer must accept requests for several
    rows at once, results in any order, and results of points that it never proposed. In a new process it first gets all
    results measured so far. The service makes one call at a time. An error that a method raises fails that call with its
    message and must change nothing else.

    The methods `sample`, `report`, `report_started` and `report_failed` may have a parameter `run_names`: names of the
    runs, one per row. A row is then identified by its run, otherwise by its values. All methods may be `async`.
    """

    svc_data_frames = False
    """True: tables come as data frames of pandas. Methods may return data frames in any case."""

    @classmethod
    def svc_param_schema(cls) -> list[dict[str, Any]]:
        """Describes the settings that people can see and change, one dict per setting.

        `key` is a name of the constructor arguments, and of the runtime parameters if `runtime` is True. `type` is
        `checkbox`, `number`, `text` or `select`. `default` is a single value or None. Optional are `options` (of a
        select), `min`, `max` and `description`.
        """
        return []

    def sample(self, num_protocol_runs: int) -> Any:
        """Proposes parameters: a table of `num_protocol_runs` rows with one value per input name.

        The rows count as in progress until they are reported as measured or failed. Raises an error when there is no
        further proposal.
        """
        raise NotImplementedError

    def report(self, inputs_df: Any, outputs_df: Any) -> Any:
        """Takes measured results. Row i of `outputs_df` has the result of row i of `inputs_df`."""
        raise NotImplementedError

    def get_optimal_solutions(self) -> Any:
        """Returns the best measured rows, with the input and output names as keys."""
        raise NotImplementedError

    def get_input_names(self) -> list[str]:
        """Returns `TASK.PARAMETER` of every input."""
        raise NotImplementedError

    def get_output_names(self) -> list[str]:
        """Returns `TASK.PARAMETER` of every output."""
        raise NotImplementedError

    def get_num_samples_reported(self) -> int:
        """Returns the number of rows reported as measured."""
        raise NotImplementedError

    def get_runtime_params(self) -> dict[str, Any]:
        """Returns the present values of the settings that `svc_param_schema` marks with `runtime`."""
        return {}

    def set_runtime_params(self, params: dict[str, Any]) -> None:
        """Changes runtime parameters. Parameters that are not named keep their values.

        Raises an error when a name is unknown or a value is not allowed; then nothing may be changed.
        """
        for name in params:
            raise ValueError(f'This optimizer has no runtime parameter "{name}"')

    def report_started(self, inputs_df: Any) -> Any:
        """Optional. Takes the points of runs that have begun and were chosen by a person or an AI.

        If a submission contains rows, the service first passes them to a temporary object of this class. If this method
        raises an error there, the submission is refused.
        """

    def report_failed(self, inputs_df: Any) -> Any:
        """Optional. Takes the points of runs that ended without a valid result.

        Without this method such points stay in progress.
        """
