"""A model of pipetting a dye: what a well really holds, beside the volume that PyLabRobot believes."""

from __future__ import annotations

import dataclasses
import math

SHARE_DRAWN = 0.985
"""Of the volume asked for, the share that a tip takes up."""
FILM = 1.5
"""Volume in ul that stays in the tip at 100 ul/s. A faster flow leaves a thicker film."""
MIXING = 1.3
"""How much of the unevenness one turn-over of the liquid removes, as the exponent of e, at 100 ul/s."""
FOAMING_FLOW = 180.0
"""Flow in ul/s above which mixing draws in air."""
USUAL_FLOW = 100.0


@dataclasses.dataclass
class Liquid:
    """What is in a container or in a tip."""

    volume: float = 0.0
    """In ul."""
    dye: float = 0.0
    """In nmol."""
    unmixed: float = 0.0
    """0: even. 1: what was added last lies on top of what was there before."""
    below: float = 0.0
    """Concentration of what was there before, in nmol/ul."""
    foam: float = 0.0
    """Noise of an absorbance that is read through the foam."""

    @property
    def concentration(self) -> float:
        """In nmol/ul; 0 when there is nothing."""
        return self.dye / self.volume if self.volume > 0 else 0.0

    def draw(self, asked: float, flow: float) -> Liquid:
        """Takes liquid from the bottom. `asked` is in ul, `flow` in ul/s."""
        film = FILM * math.sqrt(flow / USUAL_FLOW)
        volume = min(self.volume, max(0.0, asked * SHARE_DRAWN - film))
        drawn = self.concentration + self.unmixed * (self.below - self.concentration)
        dye = min(self.dye, drawn * volume)
        self.volume -= volume
        self.dye -= dye
        return Liquid(volume, dye)

    def add(self, other: Liquid) -> None:
        """Adds liquid on top."""
        self.below = self.concentration
        self.unmixed = 1.0 if self.volume > 0 else 0.0
        self.volume += other.volume
        self.dye += other.dye

    def mix(self, volume: float, times: int, flow: float) -> None:
        """Draws and expels a volume several times. `volume` is in ul, `flow` in ul/s."""
        if self.volume <= 0:
            return
        turnovers = times * min(volume, self.volume) / self.volume
        self.unmixed *= math.exp(-MIXING * turnovers * math.sqrt(flow / USUAL_FLOW))
        self.foam += 0.004 * times * max(0.0, flow / FOAMING_FLOW - 1) ** 2
