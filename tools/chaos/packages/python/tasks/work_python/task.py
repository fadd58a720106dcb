import hashlib
import json
import os

from svc_lab import BaseTask


class Work(BaseTask):
    """Writes down what it returns, for whoever compares it with the record."""

    async def _execute(self, devices, parameters, resources):
        instrument = devices["instrument"]
        sensed = await instrument.sense()
        attempt = sensed["call_id"].split("/")[0]
        moves, size = parameters["moves"], parameters["bytes"]
        await instrument.configure(level=moves)
        for _ in range(moves):
            await instrument.move(ms=parameters["ms"])
        token = os.urandom(8).hex()
        content = os.urandom(size)
        sha256 = hashlib.sha256(content).hexdigest()
        noted = {"attempt": attempt, "token": token, "moved": moves, "bytes": size, "sha256": sha256}
        with open(os.path.join(sensed["folder"], "tasks.log"), "a") as log:
            log.write(f"{json.dumps(noted)}\n")
        return {"moved": moves, "token": token}, {}, {"data.bin": content} if size > 0 else {}
