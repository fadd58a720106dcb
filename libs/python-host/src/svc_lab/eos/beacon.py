"""The hybrid optimizer of EOS, by that of this service."""

from __future__ import annotations

from ..host.tables import to_frame
from ..optimizers.hybrid import HybridOptimizer
from .campaign import CampaignOptimizer
from .optimizer import AbstractSequentialOptimizer, BayesianSequentialOptimizer

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..host.worker_calls import WorkerCalls


_PROVIDERS = {"google-gla": "google"}
"""Providers of models that have another name in EOS."""


class BeaconOptimizer(AbstractSequentialOptimizer):
    """Each call of `sample` goes to an optimizer, with the probability `p_bayesian`, or to a language model.

    The worker of the campaign asks the model: its providers, keys, prompt and checks are those of
    `docs/guide/hybrid-optimizer.md`. A subclass may override `_create_optimizer`, as from EOS 0.30 on.
    """

    def __init__(  # noqa: PLR0917 -- as in EOS
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        constraints: Sequence[Any] = (),
        acquisition_function: Any = None,
        num_initial_samples: int = 5,
        initial_sampling_method: Any = "SOBOL",
        surrogate_specs: Any = None,
        ai_model: str = "claude-agent-sdk:sonnet",
        ai_api_key: str | None = None,
        p_bayesian: float = 0.5,
        p_ai: float = 0.5,
        ai_retries: int = 3,
        ai_history_size: int = 50,
        ai_model_settings: dict[str, Any] | None = None,
        ai_additional_parameters: list[str] | None = None,
        ai_additional_context: str | None = None,
    ) -> None:
        """Arguments and defaults are those of EOS. Raises ValueError when the probabilities do not add up to 1."""
        if abs(p_bayesian + p_ai - 1.0) > 1e-9:
            raise ValueError(f"p_bayesian ({p_bayesian}) + p_ai ({p_ai}) must equal 1.0")
        self._bayesian = {
            "acquisition_function": acquisition_function,
            "num_initial_samples": num_initial_samples,
            "initial_sampling_method": initial_sampling_method,
            "surrogate_specs": surrogate_specs,
        }
        self._hybrid = _Hybrid(
            inputs,
            outputs,
            constraints,
            create=self._create_optimizer,
            ai_model=_model_of(ai_model),
            ai_api_key=ai_api_key,
            p_bayesian=p_bayesian,
            p_ai=p_ai,
            ai_retries=ai_retries,
            ai_history_size=ai_history_size,
            ai_model_settings=ai_model_settings,
            ai_additional_parameters=list(ai_additional_parameters or []),
            ai_additional_context=ai_additional_context,
        )

    @classmethod
    def eos_param_schema(cls) -> list[dict[str, Any]]:
        """What may change while a campaign runs. A subclass may add fields."""
        return _Hybrid.svc_param_schema()

    def _create_optimizer(self, inputs: list[Any], outputs: list[Any], constraints: list[Any]) -> Any:
        """Makes the plugged-in optimizer, an `AbstractSequentialOptimizer` of EOS whose methods are not `async`."""
        return BayesianSequentialOptimizer(inputs, outputs, constraints, **self._bayesian)

    def svc_connect(self, worker: WorkerCalls) -> None:
        self._hybrid.svc_connect(worker)

    async def sample(self, num_protocol_runs: int = 1, run_names: Sequence[str] | None = None) -> Any:
        return to_frame(self._hybrid.sample(num_protocol_runs, run_names))

    async def report(self, inputs_df: Any, outputs_df: Any, run_names: Sequence[str] | None = None) -> None:
        outputs = outputs_df[self.get_output_names()]
        self._hybrid.report(inputs_df.to_dict("records"), outputs.to_dict("records"), run_names)

    def report_started(self, inputs_df: Any, run_names: Sequence[str] | None = None) -> None:
        self._hybrid.report_started(inputs_df.to_dict("records"), run_names)

    def report_failed(self, inputs_df: Any, run_names: Sequence[str] | None = None) -> None:
        self._hybrid.report_failed(inputs_df.to_dict("records"), run_names)

    def report_details(self, details: Sequence[dict[str, Any]]) -> None:
        self._hybrid.report_details(details)

    def offer_insights(self, insights: Sequence[dict[str, str]]) -> None:
        self._hybrid.offer_insights(insights)

    def last_sample(self) -> dict[str, Any]:
        return self._hybrid.last_sample()

    def get_optimal_solutions(self) -> Any:
        return to_frame(self._hybrid.get_optimal_solutions())

    def get_input_names(self) -> list[str]:
        return self._hybrid.get_input_names()

    def get_output_names(self) -> list[str]:
        return self._hybrid.get_output_names()

    def get_additional_parameters(self) -> list[str]:
        return self._hybrid.get_additional_names()

    def get_num_samples_reported(self) -> int:
        return self._hybrid.get_num_samples_reported()

    def get_param_schema(self) -> list[dict[str, Any]]:
        return self._hybrid.get_param_schema()

    def get_runtime_params(self) -> dict[str, Any]:
        return self._hybrid.get_runtime_params()

    def set_runtime_params(self, params: dict[str, Any]) -> None:
        self._hybrid.set_runtime_params(params)


def _model_of(ai_model: str) -> str:
    provider, colon, name = ai_model.partition(":")
    return f"{_PROVIDERS.get(provider, provider)}{colon}{name}"


class _Hybrid(HybridOptimizer):
    def __init__(self, *domain: Any, create: Callable[..., Any], **settings: Any) -> None:
        self._create = create
        super().__init__(*domain, **settings)

    def _create_optimizer(self, inputs: list[Any], outputs: list[Any], constraints: list[Any]) -> Any:
        return CampaignOptimizer.of(self._create(inputs, outputs, constraints))
