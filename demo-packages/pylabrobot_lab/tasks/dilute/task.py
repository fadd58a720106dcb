from svc_lab import BaseTask

from ...handling.labware import keep

BLANK = 12
"""The column that only gets diluent."""


class Dilute(BaseTask):
    def _execute(self, devices, parameters, resources):
        self._handler = devices["handler"]
        self._flow = parameters["flow_rate"]
        plate, diluent, stock = resources["plate"], resources["diluent"], resources["stock"]
        steps, volume, transfer = parameters["steps"], parameters["diluent_volume"], parameters["transfer_volume"]
        columns = [f"{plate.name}[A{column}:H{column}]" for column in range(1, steps + 2)]
        for column in [*columns[1:], f"{plate.name}[A{BLANK}:H{BLANK}]"]:
            self._move([f"{diluent.name}[A1]"] * 8, [column], volume)
        for part in self._parts(volume + transfer):
            self._move([f"{stock.name}[A1]"] * 8, [columns[0]], part)
        mix = {"volume": parameters["mix_volume"], "repetitions": parameters["mix_cycles"], "flow_rate": self._flow}
        for source, target in zip(columns, columns[1:]):
            self._move([source], [target], transfer, mix)
        # All wells shall be equally full.
        self._aspirate([columns[-1]], transfer)
        self._handler.discard_tips()
        for labware in (plate, diluent, stock):
            keep(self._handler, labware)
        outputs = {"nominal_factor": (volume + transfer) / transfer}
        return outputs, {"plate": plate, "diluent": diluent, "stock": stock}, {}

    def _parts(self, volume, largest=250):
        """A volume in portions that a tip holds."""
        count = -(-volume // largest)
        return [volume / count] * int(count)

    def _aspirate(self, source, volume):
        self._handler.aspirate(resources=source, vols=[volume] * 8, flow_rates=[self._flow] * 8)

    def _move(self, source, target, volume, mix=None):
        self._aspirate(source, volume)
        self._handler.dispense(
            resources=target,
            vols=[volume] * 8,
            flow_rates=[self._flow] * 8,
            **({} if mix is None else {"mix": [mix] * 8}),
        )
