"""Tables of optimizers: lists of rows, or data frames of libraries, which this file never imports by itself."""

from __future__ import annotations

import math

from ..domain import plain
from .json_values import kind_of
from .package_code import need_of

# See ../device.py.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def to_rows(table: Any, method: str) -> list[dict[str, Any]]:
    """A table as rows. Raises TypeError when it is neither a list of rows nor a data frame of pandas or polars."""
    if callable(getattr(table, "to_dicts", None)):
        table = table.to_dicts()
    elif callable(getattr(table, "to_dict", None)) and hasattr(table, "columns"):
        table = table.to_dict("records")
    if not isinstance(table, (list, tuple)):
        raise TypeError(f"{method} returned {kind_of(table)}, not a list of rows")
    rows = []
    for index, row in enumerate(table):
        if not isinstance(row, dict):
            raise TypeError(f"Row {index} of {method} is {kind_of(row)}, not a dict")
        rows.append({key: plain(value) for key, value in row.items()})
    return rows


def to_frame(rows: Sequence[dict[str, Any]]) -> Any:
    """A data frame of pandas. Raises ImportError that says what to install without it."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(f"this optimizer takes data frames and {need_of('pandas')}") from error
    return pd.DataFrame(rows)


def is_cell(value: object) -> bool:
    """Whether a value is a cell that can be sent and stored."""
    return isinstance(value, (str, bool)) or (isinstance(value, (int, float)) and math.isfinite(value))
