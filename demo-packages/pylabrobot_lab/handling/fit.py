"""The evaluation of a serial dilution."""

from __future__ import annotations

import math

LEAST = 0.015
"""An absorbance above the blank that is smaller is lost in the noise."""


def dilution_of(absorbances: list[float]) -> tuple[float, float]:
    """Fits the factor of each step to absorbances above the blank, one per step, by least squares of their logarithms.

    Returns the factor, and the root mean square of the residuals: 0.01 is 1 %. Raises ValueError when fewer than three steps can be
    read.
    """
    points = [(step, math.log(each)) for step, each in enumerate(absorbances) if each > LEAST]
    if len(points) < 3:
        raise ValueError(
            f"only {len(points)} of {len(absorbances)} steps are darker than the blank: dilute less, or use more dye"
        )
    steps = [step for step, _ in points]
    values = [value for _, value in points]
    middle, mean = sum(steps) / len(steps), sum(values) / len(values)
    slope = sum((step - middle) * (value - mean) for step, value in points) / sum(
        (step - middle) ** 2 for step in steps
    )
    residuals = [value - mean - slope * (step - middle) for step, value in points]
    return math.exp(-slope), math.sqrt(sum(each**2 for each in residuals) / len(residuals))
