"""Tables of results for pandas and pyarrow, with the units of their columns. Neither library is needed for anything else."""

from __future__ import annotations

import importlib
import io
from typing import TYPE_CHECKING, Any, Literal, cast

from ..errors import MissingLibrary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Units = Literal["attrs", "labels"]


def library(name: str, purpose: str) -> Any:
    """An optional library. Raises MissingLibrary with the command that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingLibrary(name.partition(".")[0], purpose) from None


def frame_of_rows(rows: Sequence[Mapping[str, Any]], units: Mapping[str, str], show: Units) -> Any:
    pandas = library("pandas", "a data frame")
    return with_units(pandas.DataFrame([dict(row) for row in rows]), units, show)


def frame_of_csv(text: str, units: Mapping[str, str], show: Units) -> Any:
    pandas = library("pandas", "a data frame")
    frame = pandas.read_csv(io.StringIO(text))
    for column in ("started_at", "ended_at"):
        if column in frame.columns:
            frame[column] = pandas.to_datetime(frame[column], utc=True)
    return with_units(frame, units, show)


def with_units(frame: Any, units: Mapping[str, str], show: Units) -> Any:
    """The frame with the units of its columns in `attrs["units"]`; with "labels" also in the names of the columns."""
    known = {str(column): units[column] for column in frame.columns if column in units}
    if show == "labels":
        frame = frame.rename(columns={column: f"{column} [{unit}]" for column, unit in known.items()})
        known = {f"{column} [{unit}]": unit for column, unit in known.items()}
    frame.attrs["units"] = known
    return frame


def arrow_of_frame(frame: Any) -> Any:
    """A table of pyarrow; the metadata `unit` of a field is its unit."""
    arrow = library("pyarrow", "an Arrow table")
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    units = cast("dict[str, str]", frame.attrs.get("units", {}))
    fields = [
        table.schema.field(name).with_metadata({"unit": units[name]}) if name in units else table.schema.field(name)
        for name in table.column_names
    ]
    return arrow.Table.from_arrays(table.columns, schema=arrow.schema(fields))


def units_of(definitions: Mapping[str, Any]) -> dict[str, str]:
    """Units by `task.parameter`.

    Args:
        definitions: The definition of the task type of each task, by the name of the task.
    """
    units: dict[str, str] = {}
    for task, definition in definitions.items():
        sides = cast("dict[str, dict[str, Any]]", definition or {})
        for side in ("input_parameters", "output_parameters"):
            for name, spec in (sides.get(side) or {}).items():
                unit = spec.get("unit")
                if isinstance(unit, str) and unit != "n/a":
                    units[f"{task}.{name}"] = unit
    return units


def trial_row(trial: Mapping[str, Any]) -> dict[str, Any]:
    row = {name: trial[name] for name in ("number", "run", "source", "state")}
    return {**row, **trial["inputs"], **(trial["outputs"] or {}), **trial["additional"]}
