"""The other ends of wires for the tests of instruments: instruments on pseudo terminals, and programs with pymodbus and pyvisa.

`python instrument_peers.py KIND [PORT]` prints where it is, or what it read, as one line of JSON.
"""

import asyncio
import json
import os
import select
import sys
import threading
import tty

DEVICE = 1
INPUT = [215, 7, 65535, 0]
HOLDING = [0] * 32


def tell(**values):
    print(json.dumps(values), flush=True)


def terminal():
    """A pseudo terminal: the descriptor of its instrument, and the path of its serial port."""
    master, slave = os.openpty()
    tty.setraw(master)
    tty.setraw(slave)
    return master, os.ttyname(slave)


def serve_lines(terminator, answer):
    """Answers lines on a pseudo terminal, byte by byte, as a slow serial line brings them."""
    master, path = terminal()
    tell(path=path)
    rest = b""
    while True:
        rest += os.read(master, 4096)
        *lines, rest = rest.split(terminator)
        for line in lines:
            text = answer(line.decode())
            if text is not None:
                for byte in text.encode() + terminator:
                    os.write(master, bytes([byte]))


def balance():
    tared = 0.0

    def answer(command):
        nonlocal tared
        if command == "T":
            tared = 12.34
            return "T S     12.34 g"
        if command == "I4":
            return 'I4 A "0123456"'
        return f"S S {12.34 - tared:9.2f} g" if command == "SI" else "ES"

    serve_lines(b"\r\n", answer)


def supply():
    set_to = "0"

    def answer(command):
        nonlocal set_to
        if command.startswith("SOUR:VOLT "):
            set_to = command.split(" ")[1]
            return None
        return {"*IDN?": "ACME,PTY SUPPLY,1,2", "SOUR:VOLT?": set_to, "SYST:ERR?": '+0,"No error"'}.get(command)

    serve_lines(b"\n", answer)


def bridge(first, second):
    """Carries bytes between two pseudo terminals."""
    while True:
        for end in select.select([first, second], [], [])[0]:
            os.write(second if end == first else first, os.read(end, 4096))


def memory():
    from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext

    try:
        from pymodbus.datastore import ModbusDeviceContext as Context
    except ImportError:
        from pymodbus.datastore import ModbusSlaveContext as Context
    # These blocks count from 1.
    blocks = {
        "di": ModbusSequentialDataBlock(1, [True, False] * 8),
        "co": ModbusSequentialDataBlock(1, [False] * 16),
        "ir": ModbusSequentialDataBlock(1, INPUT),
        "hr": ModbusSequentialDataBlock(1, HOLDING),
    }
    return ModbusServerContext(Context(**blocks), True)


async def modbus_tcp():
    from pymodbus.server import ModbusTcpServer

    server = ModbusTcpServer(memory(), address=("127.0.0.1", 0))
    await server.listen()
    tell(port=server.transport.sockets[0].getsockname()[1])
    await asyncio.Event().wait()


async def modbus_rtu():
    from pymodbus import FramerType
    from pymodbus.server import ModbusSerialServer

    first, ours = terminal()
    second, theirs = terminal()
    threading.Thread(target=bridge, args=(first, second), daemon=True).start()
    server = ModbusSerialServer(memory(), framer=FramerType.RTU, port=theirs, baudrate=115_200)
    await server.listen()
    tell(path=ours)
    await asyncio.Event().wait()


def visa(port):
    import pyvisa

    manager = pyvisa.ResourceManager("@py")
    resource = manager.open_resource(
        f"TCPIP0::127.0.0.1::{port}::SOCKET", read_termination="\n", write_termination="\n"
    )
    resource.timeout = 5_000
    identity = resource.query("*IDN?")
    resource.write("SOUR:VOLT 3.3")
    tell(
        identity=identity,
        volts=resource.query_ascii_values("SOUR:VOLT?"),
        error=resource.query("SYST:ERR?"),
        wrong=(resource.write("NO:SUCH"), resource.query("SYST:ERR?"))[1],
        complete=resource.query("*OPC?"),
    )
    resource.close()


KINDS = {
    "balance": balance,
    "supply": supply,
    "modbus-tcp": lambda: asyncio.run(modbus_tcp()),
    "modbus-rtu": lambda: asyncio.run(modbus_rtu()),
    "visa": lambda: visa(int(sys.argv[2])),
}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()
