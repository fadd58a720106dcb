from svc_lab import BaseTask

from ...handling.fit import dilution_of
from ...handling.labware import place
from ..dilute.task import BLANK

ROWS = "ABCDEFGH"


class ReadPlate(BaseTask):
    def _execute(self, devices, parameters, resources):
        reader, plate = devices["reader"], resources["plate"]
        place(reader, plate, at={})
        try:
            data = reader.read_absorbance(wavelength=parameters["wavelength"], use_new_return_type=True)[0]["data"]
        finally:
            reader.remove_labware(name=plate.name)
        columns = list(zip(*data))
        means = [sum(column) / len(column) for column in columns]
        factor, error = dilution_of([mean - means[BLANK - 1] for mean in means[: parameters["steps"] + 1]])
        target = parameters["target_factor"]
        outputs = {
            "dilution_factor": factor,
            "fit_error": 100 * error,
            "loss": 100 * (abs(factor / target - 1) + error),
        }
        lines = ["well,absorbance"]
        lines += [f"{row}{index},{column[ROWS.index(row)]}" for row in ROWS for index, column in enumerate(columns, 1)]
        return outputs, {"plate": plate}, {"absorbance.csv": "\n".join(lines) + "\n"}
