from svc_lab import BaseTask


class Transfer(BaseTask):
    def _execute(self, devices, parameters, resources):
        devices["from"].move(ms=parameters["ms"])
        devices["to"].move(ms=parameters["ms"])
        return {"moved": 2}, {}, {}
