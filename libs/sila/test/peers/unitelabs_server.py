"""A server made with the library unitelabs-sila: python unitelabs_server.py PORT UUID [flags of bench.arguments]"""

import asyncio

from bench import BENCH_XML, CANCEL_XML, FOLDER, Bench, Blocked, Lock, arguments
from sila import Feature, create_certificate
from sila.server import (
    Metadata,
    ObservableCommand,
    ObservableProperty,
    Server,
    ServerConfig,
    UnobservableCommand,
    UnobservableProperty,
)
from sila.server.discovery import Discovery, DiscoveryConfig

LOCK_XML = (FOLDER / "lock_v2.sila.xml").read_text(encoding="utf-8")


def read_feature(xml):
    return Feature.from_definition(
        xml,
        {
            "unobservable_command_factory": UnobservableCommand,
            "observable_command_factory": ObservableCommand,
            "unobservable_property_factory": UnobservableProperty,
            "observable_property_factory": ObservableProperty,
            "metadata_factory": Metadata,
        },
    )


def error_of(feature, identifier, message=""):
    return feature.errors[identifier](message)


def bench_feature(bench):
    feature = read_feature(BENCH_XML)

    async def move(*, To, Seconds, metadata):
        try:
            bench.begin_move(To)
        except Blocked as error:
            raise error_of(feature, "Blocked", str(error)) from None
        try:
            for _ in range(10):
                await asyncio.sleep(Seconds / 10)
                bench.go_on("move")
        finally:
            bench.end("move")
        return {"Position": bench.position}

    async def heat(*, Seconds, Fail, metadata, command_execution):
        execution = command_execution.command_execution_uuid
        bench.begin(execution)
        try:
            for step in range(1, 11):
                command_execution.update_execution_info(progress=step / 10)
                await asyncio.sleep(Seconds / 10)
                bench.go_on(execution)
        finally:
            bench.end(execution)
        if Fail:
            raise error_of(feature, "Blocked", "the lid is open")
        return {"Reached": 37.5}

    async def position(*, metadata):
        yield {"Position": bench.position}

    feature.commands["Move"].function = move
    feature.commands["Heat"].function = heat
    feature.commands["Echo"].function = lambda *, Value, metadata: {"Value": Value}
    feature.commands["Carry"].function = lambda *, Bytes, metadata: {"Bytes": Bytes}
    feature.commands["Label"].function = lambda *, metadata: {"Sample": metadata[sample.fully_qualified_identifier()]}
    sample = feature.metadata["Sample"]
    sample.affects = [f"{feature.fully_qualified_identifier}/Command/Label"]
    feature.properties["Moves"].function = lambda *, metadata: {"Moves": bench.moves}
    feature.properties["Position"].function = position
    return feature


def cancel_feature(bench):
    feature = read_feature(CANCEL_XML)

    def cancel(*, CommandExecutionUUID, metadata):
        if not bench.cancel(CommandExecutionUUID):
            raise error_of(feature, "InvalidCommandExecutionUUID")
        return {}

    def cancel_all(*, metadata):
        bench.cancel_all()
        return {}

    feature.commands["CancelCommand"].function = cancel
    feature.commands["CancelAll"].function = cancel_all
    return feature


def lock_feature(protected):
    """As in the connector framework of the same authors: a protected call needs the lock, even while none is set."""
    feature = read_feature(LOCK_XML)
    lock = Lock()

    def lock_server(*, LockIdentifier, Timeout, metadata):
        if lock.is_locked:
            raise error_of(feature, "ServerAlreadyLocked")
        lock.take(LockIdentifier, Timeout)
        return {}

    def unlock_server(*, LockIdentifier, metadata):
        if not lock.is_locked:
            raise error_of(feature, "ServerNotLocked")
        if lock.identifier != LockIdentifier:
            raise error_of(feature, "InvalidLockIdentifier")
        lock.identifier = None
        return {}

    async def is_locked(*, metadata):
        yield {"IsLocked": lock.is_locked}

    def check(identifier, _handler):
        if not lock.is_locked or lock.identifier != identifier:
            raise error_of(feature, "InvalidLockIdentifier")
        lock.use()

    feature.commands["LockServer"].function = lock_server
    feature.commands["UnlockServer"].function = unlock_server
    feature.properties["IsLocked"].function = is_locked
    feature.metadata["LockIdentifier"].affects = [str(protected.fully_qualified_identifier)]
    feature.metadata["LockIdentifier"].function = staticmethod(check)
    return feature


async def main():
    given = arguments()
    keys = {}
    if given.key is not None:
        keys = {"tls": True, "private_key": given.key, "certificate_chain": given.certificate}
    elif given.tls:
        made = create_certificate(given.uuid, ip_addresses=["127.0.0.1"])
        keys = {"tls": True, "private_key": made.pem_private_key, "certificate_chain": made.pem_certificate}
    config = ServerConfig(
        hostname="127.0.0.1", port=given.port, uuid=given.uuid, name="Bench", type="TestServer", version="1.0", **keys
    )
    server = Server(config)
    instrument = Bench()
    bench = bench_feature(instrument)
    server.register_feature(bench)
    if given.cancel:
        server.register_feature(cancel_feature(instrument))
    if given.lock:
        server.register_feature(lock_feature(bench))
    await server.start()
    if given.discovery:
        await Discovery(server, DiscoveryConfig(network_interfaces=["127.0.0.1"])).start()
    print("ready", flush=True)
    await server.wait_for_termination()


asyncio.run(main())
