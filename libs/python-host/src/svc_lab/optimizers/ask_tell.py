"""Any object with two methods: one that proposes a point, and one that takes a result."""

from __future__ import annotations

from .domain_optimizer import LiveOptimizer, Run
from .free_inputs import FreeInputs

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..domain import Row


class AskTellOptimizer(LiveOptimizer):
    """Proposes with an object that has `ask` and `tell`.

    `ask()` returns one point, as a dict by input name or a sequence in the order of the inputs. `tell(point, cost)` takes a
    point in the same form. Less cost is better: `Maximize` gives the negative value, and `CloseToTarget` the distance. With
    several objectives, `cost` is a list.

    The object learns of measured runs only. It must stand points that it did not propose, and repeated calls of `ask`. Inputs
    that linear equalities fix are left out of its points.
    """

    name = "the object"
    lacks = ("n_choose_k", "thresholds")

    def __init__(
        self,
        inputs: Iterable[Any],
        outputs: Iterable[Any],
        constraints: Iterable[Any] = (),
        *,
        seed: int = 0,
        optimizer: Any = None,
        ask: str = "ask",
        tell: str = "tell",
        read: Callable[[Any], Any] | None = None,
        write: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        """`optimizer` is the object, or a function of the domain and the seed that makes it.

        `ask` and `tell` are names of its methods. `read` makes a dict by input name of what `ask` returns, and `write` makes
        what `tell` takes of such a dict. Without `write`, `tell` gets for its own points what `ask` returned.
        """
        super().__init__(inputs, outputs, constraints, seed=seed)
        self._free = FreeInputs(self.domain)
        self._optimizer, self._methods = optimizer, (ask, tell)
        self._read, self._write = read, write
        self._is_sequence = False
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        made = self._optimizer
        if callable(made) and not hasattr(made, self._methods[0]):
            made = made(self.domain, seed)
        missing = [name for name in self._methods if not callable(getattr(made, name, None))]
        if missing:
            raise TypeError(f"the argument optimizer is {made!r}: it has no method {' and no method '.join(missing)}")
        self._ask, self._tell = (getattr(made, name) for name in self._methods)

    def _propose(self, count: int) -> list[tuple[Row, Any]]:
        return [self._free.draw(self._asked, lambda _: None) for _ in range(count)]

    def _asked(self) -> tuple[list[Any], Any]:
        said = self._ask()
        point = said if self._read is None else self._read(said)
        self._is_sequence = not isinstance(point, dict)
        names = [code.key for code in self._free.codes]
        if self._is_sequence:
            if not hasattr(point, "__len__") or len(point) != len(names):
                raise TypeError(
                    f"ask returned {point!r}, not a dict or a sequence with a value for each of {', '.join(names)}"
                )
            point = dict(zip(names, point))
        missing = [name for name in names if name not in point]
        if missing:
            raise TypeError(f"ask returned a point without {', '.join(missing)}")
        row = self.domain.round(point)
        # The object may not know of steps, so it learns the point that ran.
        own = (said,) if all(row[name] == point[name] for name in names) else None
        return self._free.encode(row), own

    def _learn_result(self, run: Run) -> None:
        costs = self.costs(run)
        point: Any = {code.key: run.row[code.key] for code in self._free.codes}
        if self._write is not None:
            point = self._write(point)
        elif run.token is not None:
            (point,) = run.token
        elif self._is_sequence:
            point = list(point.values())
        self._tell(point, costs[0] if len(costs) == 1 else costs)
