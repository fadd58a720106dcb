"""A node of MADSci for the tests. `NODE_NAME`, `NODE_URL` and the other settings of MADSci come from the environment.

Each move appends a line to the file in `MOVES`, so that a test can count the effects on the world.
"""

import os
import time
from pathlib import Path

from madsci.common.types.admin_command_types import AdminCommandResponse
from madsci.node_module.helpers import action
from madsci.node_module.rest_node_module import RestNode


class Bench(RestNode):
    halted = False

    @action
    def measure(self, wavelength: int = 600, gain: float | None = None) -> dict:
        """Measures a plate."""
        return {"wavelength": wavelength, "gain": gain, "absorbance": 0.42}

    @action
    def move(self, seconds: float, to: str = "home") -> str:
        """Moves the arm."""
        Bench.halted = False
        with open(os.environ["MOVES"], "a") as moves:
            moves.write(f"{to}\n")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if Bench.halted:
                raise RuntimeError("the arm was stopped")
            time.sleep(0.02)
        return f"at {to}"

    @action
    def explode(self) -> None:
        """Fails."""
        raise ValueError("the lamp is broken")

    @action
    def copy(self, source: Path) -> Path:
        """Copies a file."""
        target = Path(os.environ["MOVES"]).parent / "copy.txt"
        target.write_text(source.read_text().upper())
        return target

    def cancel(self) -> AdminCommandResponse:
        Bench.halted = True
        return AdminCommandResponse(success=True, errors=[])


if __name__ == "__main__":
    Bench().start_node()
