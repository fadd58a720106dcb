"""The search of `experiments/color_mixing/optimizer.ts` with Optuna."""

from svc_lab.optimizer import ContinuousInput, ContinuousOutput, LinearInequality, Minimize
from svc_lab.optimizers import OptunaOptimizer

PASTES = [f"mix_colors.{paste}_volume" for paste in ("cyan", "magenta", "yellow", "black", "white")]


def svc_create_campaign_optimizer():
    arguments = {
        "inputs": [
            *(ContinuousInput(paste, (0, 10)) for paste in PASTES),
            ContinuousInput("mix_colors.mixing_time", (5, 60)),
            ContinuousInput("mix_colors.mixing_speed", (100, 1200)),
        ],
        "outputs": [ContinuousOutput("score_color.loss", Minimize())],
        "constraints": [
            # Less than 5 ml cannot be measured, more than 40 ml splashes.
            LinearInequality(PASTES, [-1] * 5, -5),
            LinearInequality(PASTES, [1] * 5, 40),
        ],
        "seed": 1,
    }
    return arguments, OptunaOptimizer
