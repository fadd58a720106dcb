"""A simulated plate reader that measures what is in the wells."""

from __future__ import annotations

import json
import math
import random
import time
from typing import Any

from pylabrobot.plate_reading import PlateReaderChatterboxBackend

from .contents import Contents, containers

ABSORPTION = 27.0
"""Of the dye at its maximum, per cm and nmol/ul (27000 l/mol/cm, as of tartrazine)."""
MAXIMUM = 427.0
"""Wavelength of the greatest absorption, in nm."""
WIDTH = 45.0
"""Standard deviation of the absorption band, in nm."""
PLASTIC = 0.041
"""Absorbance of an empty plate."""
LARGEST = 4.0


class DyeReader(PlateReaderChatterboxBackend):
    """Reads absorbances by the law of Lambert and Beer. The same plate and the same seed give the same noise."""

    def __init__(self, seed: int = 1, noise: float = 0.0015) -> None:
        super().__init__()
        self._seed = seed
        self._noise = noise
        self._contents = Contents()
        self.contents_of = self._contents.contents_of
        self.load_contents = self._contents.load_contents

    async def read_absorbance(self, plate: Any, wells: list[Any], wavelength: int) -> list[dict[str, Any]]:
        chance = random.Random(f"{self._seed} {wavelength} {json.dumps(self.contents_of(plate), sort_keys=True)}")
        wanted = {well.name for well in wells}
        rows: list[list[float | None]] = [[None] * plate.num_items_x for _ in range(plate.num_items_y)]
        for _, well in containers(plate):
            absorbance = self._absorbance(well, wavelength, chance)
            if well.name in wanted:
                rows[well.get_row()][well.get_column()] = absorbance
        return [{"time": time.time(), "temperature": 25.0, "data": rows, "wavelength": wavelength}]

    def _absorbance(self, well: Any, wavelength: float, chance: random.Random) -> float:
        liquid = self._contents.of(well)
        area = math.pi / 4 * well.get_size_x() * well.get_size_y()
        path = liquid.volume / area / 10
        band = math.exp(-(((wavelength - MAXIMUM) / WIDTH) ** 2) / 2)
        ideal = PLASTIC + ABSORPTION * band * liquid.concentration * path
        noisy = ideal + chance.gauss(0, self._noise) + abs(chance.gauss(0, liquid.foam))
        return round(min(LARGEST, noisy), 4)
