"""A simulated liquid handler that makes the mistakes of a real one."""

from __future__ import annotations

from typing import Any

from pylabrobot.liquid_handling.backends import LiquidHandlerChatterboxBackend

from .contents import Contents
from .dye import USUAL_FLOW, Liquid


class DyeHandler(LiquidHandlerChatterboxBackend):
    """Moves dye between wells. Unlike a chatterbox, it prints nothing."""

    def __init__(self, num_channels: int = 8) -> None:
        super().__init__(num_channels)
        self._contents = Contents()
        self._in_tips: dict[int, Liquid] = {}
        self.contents_of = self._contents.contents_of
        self.load_contents = self._contents.load_contents

    async def pick_up_tips(self, ops: list[Any], use_channels: list[int], **_: Any) -> None:
        for channel in use_channels:
            self._in_tips[channel] = Liquid()

    async def drop_tips(self, ops: list[Any], use_channels: list[int], **_: Any) -> None:
        for channel in use_channels:
            self._in_tips.pop(channel, None)

    async def aspirate(self, ops: list[Any], use_channels: list[int], **_: Any) -> None:
        for op, channel in zip(ops, use_channels):
            drawn = self._contents.of(op.resource).draw(op.volume, op.flow_rate or USUAL_FLOW)
            tip = self._in_tips.setdefault(channel, Liquid())
            tip.volume += drawn.volume
            tip.dye += drawn.dye

    async def dispense(self, ops: list[Any], use_channels: list[int], **_: Any) -> None:
        for op, channel in zip(ops, use_channels):
            tip = self._in_tips.setdefault(channel, Liquid())
            # A tip that gives all that it should hold is emptied.
            is_last = op.tip.tracker.get_used_volume() <= 1e-6
            share = 1.0 if is_last or tip.volume <= op.volume else op.volume / tip.volume
            given = Liquid(tip.volume * share, tip.dye * share)
            self._in_tips[channel] = Liquid(tip.volume - given.volume, tip.dye - given.dye)
            if not hasattr(op.resource, "tracker"):
                continue
            well = self._contents.of(op.resource)
            well.add(given)
            if op.mix is not None:
                well.mix(op.mix.volume, op.mix.repetitions, op.mix.flow_rate)
