"""A server made with the library sila2: python sila2_server.py PORT UUID [flags of bench.arguments]"""

import time
from queue import Queue

from bench import BENCH_XML, CANCEL_XML, Bench, Blocked, arguments
from sila2.features.lockcontroller import LockControllerFeature
from sila2.framework import DefinedExecutionError, Feature
from sila2.server import FeatureImplementationBase, SilaServer
from sila2.server.default_feature_implementations.lockcontroller_impl import LockControllerImpl
from sila2.server.encryption import generate_self_signed_certificate

FEATURE = Feature(BENCH_XML)
CANCEL = Feature(CANCEL_XML)


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
        try:
            for _ in range(10):
                time.sleep(Seconds / 10)
                self.bench.go_on("move")
        finally:
            self.bench.end("move")
        return self.bench.position

    def Heat(self, Seconds, Fail, *, metadata, instance):
        execution = str(instance.execution_uuid)
        self.bench.begin(execution)
        instance.begin_execution()
        try:
            for step in range(10):
                instance.progress = step / 10
                time.sleep(Seconds / 10)
                self.bench.go_on(execution)
        finally:
            self.bench.end(execution)
        if Fail:
            raise blocked(Blocked("the lid is open"))
        return 37.5

    def Echo(self, Value, *, metadata):
        return Value

    def Carry(self, Bytes, *, metadata):
        return Bytes

    def Label(self, *, metadata):
        return metadata[FEATURE["Sample"]]

    def get_Moves(self, *, metadata):
        return self.bench.moves

    def Position_on_subscription(self, *, metadata):
        queue = Queue()
        queue.put(self.bench.position)
        return queue

    def get_calls_affected_by_Sample(self):
        return [FEATURE["Label"]]


class CancelImpl(FeatureImplementationBase):
    def __init__(self, parent_server, bench):
        super().__init__(parent_server=parent_server)
        self.bench = bench

    def CancelCommand(self, CommandExecutionUUID, *, metadata):
        if not self.bench.cancel(CommandExecutionUUID):
            raise DefinedExecutionError(CANCEL.defined_execution_errors["InvalidCommandExecutionUUID"])

    def CancelAll(self, *, metadata):
        self.bench.cancel_all()


def main():
    given = arguments()
    server = SilaServer("Bench", "TestServer", "An instrument for tests", "1.0", "https://example.org", given.uuid)
    implementation = BenchImpl(server)
    server.set_feature_implementation(FEATURE, implementation)
    if given.cancel:
        server.set_feature_implementation(CANCEL, CancelImpl(server, implementation.bench))
    if given.lock:
        server.set_feature_implementation(LockControllerFeature, LockControllerImpl(server))
    place = {"address": "127.0.0.1", "port": given.port, "enable_discovery": given.discovery}
    if given.key is not None:
        server.start(**place, private_key=given.key, cert_chain=given.certificate)
    elif given.tls:
        key, certificate = generate_self_signed_certificate(server.server_uuid, "127.0.0.1")
        server.start(**place, private_key=key, cert_chain=certificate)
    else:
        server.start_insecure(**place)
    print("ready", flush=True)
    server.grpc_server.wait_for_termination()


main()
