"""A client made with the library sila2 looks for an announced server: python discovery_client.py UUID

It trusts the certificate that the server announces. It prints what the server says as a line of JSON, and `gone` when the server
withdraws its announcement.
"""

import json
import sys
import time

from sila2.discovery import SilaDiscoveryBrowser

name = f"{sys.argv[1]}._sila._tcp.local."


def wait_for(holds):
    end = time.monotonic() + 60
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"it did not happen in time: {holds.__name__}")
        time.sleep(0.05)


with SilaDiscoveryBrowser() as browser:
    services = browser.listener.services

    def found():
        return name in services

    def gone():
        return name not in services

    wait_for(found)
    client = services[name]
    about = {"name": client.SiLAService.ServerName.get(), "state": client.Mixer.Status.get()}
    print(json.dumps(about), flush=True)
    wait_for(gone)
    print("gone", flush=True)
