"""Optimizers of libraries as the optimizers of campaigns. A library is imported when its optimizer is made."""

from .ask_tell import AskTellOptimizer
from .ax_platform import AxOptimizer
from .bofire_strategy import BofireOptimizer
from .botorch_function import BotorchOptimizer, BotorchProblem
from .domain_optimizer import DomainOptimizer, LiveOptimizer, Run
from .hybrid import HybridOptimizer
from .optuna_study import OptunaOptimizer
from .scikit_optimize import SkoptOptimizer

__all__ = [
    "AskTellOptimizer",
    "AxOptimizer",
    "BofireOptimizer",
    "BotorchOptimizer",
    "BotorchProblem",
    "DomainOptimizer",
    "HybridOptimizer",
    "LiveOptimizer",
    "OptunaOptimizer",
    "Run",
    "SkoptOptimizer",
]
