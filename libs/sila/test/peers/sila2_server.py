"""A server made with the library sila2: python sila2_server.py PORT UUID [--tls] [--lock] [--discovery]"""

import sys
import time
from queue import Queue

from bench import BENCH_XML, Bench, Blocked
from sila2.features.lockcontroller import LockControllerFeature
from sila2.framework import DefinedExecutionError, Feature
from sila2.server import FeatureImplementationBase, SilaServer
from sila2.server.default_feature_implementations.lockcontroller_impl import LockControllerImpl
from sila2.server.encryption import generate_self_signed_certificate

FEATURE = Feature(BENCH_XML)


def blocked(error):
    return DefinedExecutionError(FEATURE.defined_execution_errors["Blocked"], str(error))


class BenchImpl(FeatureImplementationBase):
    def __init__(self, parent_server):
        super().__init__(parent_server=parent_server)
        self.bench = Bench()
        self._Position_producer_queue = Queue()
        self._Position_current_value = 0

    def Move(self, To, Seconds, *, metadata):
        try:
            self.bench.begin_move(To)
        except Blocked as error:
            raise blocked(error) from None
        time.sleep(Seconds)
        return self.bench.position

    def Heat(self, Seconds, Fail, *, metadata, instance):
        self.bench.moves += 1
        instance.begin_execution()
        for step in range(10):
            instance.progress = step / 10
            time.sleep(Seconds / 10)
        if Fail:
            raise blocked(Blocked("the lid is open"))
        return 37.5

    def Echo(self, Value, *, metadata):
        return Value

    def Carry(self, Bytes, *, metadata):
        return Bytes

    def get_Moves(self, *, metadata):
        return self.bench.moves

    def Position_on_subscription(self, *, metadata):
        queue = Queue()
        queue.put(self.bench.position)
        return queue

    def get_calls_affected_by_Sample(self):
        return []


def main():
    port, uuid, *flags = sys.argv[1:]
    server = SilaServer("Bench", "TestServer", "An instrument for tests", "1.0", "https://example.org", uuid)
    server.set_feature_implementation(FEATURE, BenchImpl(server))
    if "--lock" in flags:
        server.set_feature_implementation(LockControllerFeature, LockControllerImpl(server))
    discovery = "--discovery" in flags
    if "--tls" in flags:
        key, certificate = generate_self_signed_certificate(server.server_uuid, "127.0.0.1")
        server.start("127.0.0.1", int(port), key, certificate, enable_discovery=discovery)
    else:
        server.start_insecure("127.0.0.1", int(port), enable_discovery=discovery)
    print("ready", flush=True)
    server.grpc_server.wait_for_termination()


main()
