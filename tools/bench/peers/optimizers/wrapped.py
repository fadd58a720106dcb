"""What the methods have in common that play by the wrappers of `svc_lab.optimizers`, with the defaults of the libraries."""

from __future__ import annotations


class Wrapped:
    """A method of the driver. A subclass says how the wrapper is made, and what its model expects."""

    def __init__(self, question: dict) -> None:
        space = question["space"]
        parts = [space[name] for name in ("inputs", "outputs", "constraints")]
        self.question = question
        self.rows: list[dict] = []
        self.optimizer = self.make(*parts, seed=question["seed"], initial=question["initial"])

    def make(self, *parts: list, seed: int, initial: int) -> object:
        raise NotImplementedError

    def report(self, rows: list[dict], results: list[dict]) -> None:
        self.rows += rows
        self.optimizer.report(rows, results)

    def propose(self, count: int) -> list[dict]:
        return self.optimizer.sample(count)

    def expected(self) -> list[dict] | None:
        if not hasattr(self.optimizer, "expected"):
            return None
        # The wrapper has its runs in the order in which they began.
        check = self.optimizer.domain.check
        means = {_name_of(run.row): mean for run, mean in zip(self.optimizer.runs("measured"), self.optimizer.expected())}
        return [means[_name_of(check(row))] for row in self.rows]


def _name_of(row: dict) -> tuple:
    # A whole number comes back from JSON without its fraction: 1 equals 1.0, unlike their texts.
    return tuple(sorted(row.items()))


def values_of(domain, costs: list[float], excesses: list[float]) -> dict[str, float]:
    """Expected outputs from the costs and excesses that a library predicts."""
    values = {}
    for output, cost in zip(domain.objectives, costs):
        values[output.key] = output.cost(cost)
    limited = [each for each in domain.outputs if each.at_least is not None or each.at_most is not None]
    for output, excess in zip(limited, excesses):
        values[output.key] = output.at_most + excess if output.at_least is None else output.at_least - excess
    return values
