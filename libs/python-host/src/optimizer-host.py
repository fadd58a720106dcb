"""The program of the process of one optimizer. An optimizer worker starts it."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from svc_lab.host.optimizer_host import main

main()
