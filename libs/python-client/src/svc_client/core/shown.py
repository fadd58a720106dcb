"""How records look in Jupyter, and how far work is while a cell waits. Every text of the service is escaped."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any

from .tables import library

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_ROWS = 50
_COLORS = {
    "completed": "#2e7d32",
    "measured": "#2e7d32",
    "running": "#1565c0",
    "failed": "#c62828",
    "cancelled": "#757575",
    "needs_attention": "#e65100",
}


def escaped(value: Any) -> str:
    return html.escape("" if value is None else str(value))


def state_html(state: str) -> str:
    return f'<b style="color:{_COLORS.get(state, "inherit")}">{escaped(state)}</b>'


def table_html(rows: Sequence[Mapping[str, Any]], columns: Iterable[str] | None = None) -> str:
    """A table of the first 50 rows."""
    names = list(columns) if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escaped(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(name, row.get(name))}</td>" for name in names) + "</tr>" for row in rows[:MOST_ROWS])
    left = f"<p>{len(rows) - MOST_ROWS} more rows</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{left}"


def _cell(name: str, value: Any) -> str:
    if name == "state":
        return state_html(str(value))
    return escaped(f"{value:.6g}" if isinstance(value, float) else value)


def record_html(kind: str, name: str, state: str, line: str, below: str = "") -> str:
    return f"<div><p>{escaped(kind)} <b>{escaped(name)}</b> {state_html(state)}: {escaped(line)}</p>{below}</div>"


def bar_html(share: float | None, text: str) -> str:
    value = "" if share is None else f' value="{share:.3f}"'
    return f'<div><progress max="1"{value} style="width:20em"></progress> {escaped(text)}</div>'


def bar_text(share: float | None, text: str) -> str:
    filled = round(20 * (share or 0))
    return f"[{'#' * filled}{'.' * (20 - filled)}] {text}"


class Progress:
    """Shows how far work is: a bar in Jupyter, lines on standard error elsewhere.

    Args:
        wanted: None: only in Jupyter. False: never. True: everywhere.
    """

    def __init__(self, wanted: bool | None) -> None:
        self._handle: Any = None
        self._last = ""
        self._display = _jupyter() if wanted is not False else None
        self._prints = wanted is True and self._display is None

    def show(self, share: float | None, text: str) -> None:
        if text == self._last:
            return
        self._last = text
        if self._display is not None:
            shown = self._display.HTML(bar_html(share, text))
            if self._handle is None:
                self._handle = self._display.display(shown, display_id=True)
            else:
                self._handle.update(shown)
        elif self._prints:
            print(bar_text(share, text), file=sys.stderr)


def _jupyter() -> Any:
    """The module `IPython.display` of a running kernel, else None."""
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return None
    display = library("IPython.display", "a progress bar in Jupyter")
    return display if sys.modules["IPython"].get_ipython() is not None else None


def plot_trials(trials: Sequence[Mapping[str, Any]], output: str, unit: str | None, best: str) -> Any:
    """Axes of matplotlib with the output of each trial, and the best so far."""
    axes = library("matplotlib.pyplot", "a plot").figure().add_subplot()
    measured = [(trial["number"], trial["outputs"][output]) for trial in trials if trial["outputs"]]
    choose = min if best == "lowest" else max
    numbers, values = [number for number, _ in measured], [value for _, value in measured]
    axes.plot(numbers, values, "o", label="measured")
    axes.step(numbers, [choose(values[: n + 1]) for n in range(len(values))], where="post", label=f"{best} so far")
    axes.set_xlabel("trial")
    axes.set_ylabel(output if unit is None else f"{output} [{unit}]")
    axes.legend()
    return axes
