from svc_lab import BaseTask

from ...handling.labware import keep, place, replace, volume_in


class PickUpTips(BaseTask):
    def _execute(self, devices, parameters, resources):
        handler = devices["handler"]
        plate, tips, diluent, stock = (resources[name] for name in ("plate", "tips", "diluent", "stock"))
        if any(tip is not None for tip in handler.get_mounted_tips()):
            # An earlier run was interrupted.
            handler.discard_tips()
        for labware in (plate, tips, diluent, stock):
            place(handler, labware)
        if plate.meta["state"]["volumes"]:
            replace(handler, plate)
        if volume_in(diluent) < parameters["diluent_needed"]:
            replace(handler, diluent)
        if volume_in(stock) < parameters["stock_needed"]:
            replace(handler, stock)
        column = next_column(tips)
        if column is None:
            replace(handler, tips)
            column = next_column(tips)
        handler.pick_up_tips(tip_spots=[f"{tips.name}[A{column}:H{column}]"])
        keep(handler, tips)
        outputs = {"tips_left": len(tips.meta["state"]["tips"])}
        return outputs, {"plate": plate, "tips": tips, "diluent": diluent, "stock": stock}, {}


def next_column(tips):
    """The first column with eight tips; None: there is none."""
    left = set(tips.meta["state"]["tips"])
    return next((column for column in range(1, 13) if all(f"{row}{column}" in left for row in "ABCDEFGH")), None)
