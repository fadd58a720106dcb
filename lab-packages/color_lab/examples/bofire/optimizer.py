"""The search of `experiments/color_mixing/optimizer.ts` with BoFire: its domain, and its strategy for one objective."""

from bofire.data_models.acquisition_functions.api import qUCB
from bofire.data_models.constraints.api import LinearInequalityConstraint
from bofire.data_models.domain.api import Domain
from bofire.data_models.features.api import ContinuousInput, ContinuousOutput
from bofire.data_models.objectives.api import MinimizeObjective
from bofire.data_models.strategies.api import BotorchOptimizer, SoboStrategy

from svc_lab.optimizers import BofireOptimizer

PASTES = [f"mix_colors.{paste}_volume" for paste in ("cyan", "magenta", "yellow", "black", "white")]


def svc_create_campaign_optimizer():
    domain = Domain.from_lists(
        inputs=[
            *(ContinuousInput(key=paste, bounds=(0, 10)) for paste in PASTES),
            ContinuousInput(key="mix_colors.mixing_time", bounds=(5, 60)),
            ContinuousInput(key="mix_colors.mixing_speed", bounds=(100, 1200)),
        ],
        outputs=[ContinuousOutput(key="score_color.loss", objective=MinimizeObjective(w=1.0))],
        constraints=[
            # Less than 5 ml cannot be measured, more than 40 ml splashes.
            LinearInequalityConstraint(features=PASTES, coefficients=[-1.0] * 5, rhs=-5.0),
            LinearInequalityConstraint(features=PASTES, coefficients=[1.0] * 5, rhs=40.0),
        ],
    )
    strategy = SoboStrategy(
        domain=domain,
        acquisition_function=qUCB(beta=1.0),
        # The defaults search for minutes, because of the constraints, and a proposal must come within 290 s.
        acquisition_optimizer=BotorchOptimizer(n_restarts=4, n_raw_samples=64, maxiter=100),
    )
    arguments = {
        "strategy": strategy,
        "num_initial_samples": 5,
        "seed": 1,
    }
    return arguments, BofireOptimizer
