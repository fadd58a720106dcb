"""A client made with the library sila2 uses an offered device: python offer_client.py PORT AUTHORITY

It does one thing for each line that it reads, a JSON list of a name and its arguments, and prints the outcome as a line of JSON.
"""

import json
import sys
import time
import warnings
from pathlib import Path

from sila2.client import SilaClient
from sila2.framework import DefinedExecutionError

warnings.simplefilter("ignore")
client = SilaClient("127.0.0.1", int(sys.argv[1]), root_certs=Path(sys.argv[2]).read_bytes())
lock = client.LockController


def context(identifier):
    return None if identifier is None else [lock.LockIdentifier(identifier)]


def about():
    return {
        "uuid": client.SiLAService.ServerUUID.get(),
        "name": client.SiLAService.ServerName.get(),
        "features": [str(each) for each in client.SiLAService.ImplementedFeatures.get()],
    }


def status(identifier):
    return json.loads(client.Mixer.Status.get(metadata=context(identifier)))


def is_locked():
    return lock.IsLocked.get()


def lock_server(identifier):
    lock.LockServer(identifier, 30)


def unlock_server(identifier):
    lock.UnlockServer(identifier)


def clean(identifier):
    return json.loads(client.Mixer.Clean(metadata=context(identifier)).Result)


def mix(identifier, volume, seconds):
    execution = client.Mixer.Mix(volume, seconds, metadata=context(identifier))
    was_running = not execution.done
    while not execution.done:
        time.sleep(0.02)
    return {"was_running": was_running, "result": json.loads(execution.get_responses().Result)}


steps = {each.__name__: each for each in (about, status, is_locked, lock_server, unlock_server, clean, mix)}
for line in sys.stdin:
    name, *given = json.loads(line)
    try:
        outcome = {"value": steps[name](*given)}
    except DefinedExecutionError as error:
        outcome = {"error": str(error.fully_qualified_identifier).rpartition("/")[2], "message": error.message}
    except Exception as error:
        outcome = {"error": type(error).__name__, "message": str(error)}
    print(json.dumps(outcome), flush=True)
client.close()
