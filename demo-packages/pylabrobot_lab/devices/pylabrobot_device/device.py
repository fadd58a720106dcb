from svc_lab.frameworks.pylabrobot import PylabrobotDevice

# lab.yml names these simulators. The service takes the files that import statements name.
from ...simulation import liquid_handler, plate_reader  # noqa: F401


class PylabrobotLabDevice(PylabrobotDevice):
    """The functions are those of the machine that `class` in lab.yml names."""
