"""The program of a process of tasks. An agent starts it ahead of time."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from svc_lab.host.task_host import main

main()
