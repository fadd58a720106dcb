"""The program of the process of one device. An agent starts it; its argument is the folder of the device."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from svc_lab.host.device_host import main

main(sys.argv[1] if len(sys.argv) > 1 else None)
