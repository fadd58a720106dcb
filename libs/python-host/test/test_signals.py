"""Signals reach the host, and those to a forked child of author code do not."""

import os
import subprocess
import sys
import unittest

FOLLOW = """
import os, signal, sys, threading, time
from svc_lab.host.signals import follow_signals

came = threading.Event()
follow_signals({signal.SIGTERM: came.set})
"""


def printed(script):
    program = [sys.executable, "-c", FOLLOW + script]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(program, check=True, capture_output=True, text=True, timeout=30, env=env).stdout


class Signals(unittest.TestCase):
    def test_takes_a_signal_that_does_not_interrupt_the_main_thread(self):
        script = """
def signalled():
    os.kill(os.getpid(), signal.SIGTERM)
    came.wait()
    os.write(1, b"came")
    os._exit(0)

signal.siginterrupt(signal.SIGTERM, False)
threading.Timer(0.1, signalled).start()
os.read(os.pipe()[0], 1)
"""
        self.assertEqual(printed(script), "came")

    def test_leaves_a_forked_child_its_own_signals(self):
        script = """
child = os.fork()
if child == 0:
    time.sleep(60)
    os._exit(0)
os.kill(child, signal.SIGTERM)
print(os.WTERMSIG(os.waitpid(child, 0)[1]), came.wait(0.2))
"""
        self.assertEqual(printed(script), "15 False\n")


if __name__ == "__main__":
    unittest.main()
