"""A power supply that listens on a TCP port of this computer and understands SCPI."""

import contextlib
import socket
import threading


class PowerSupply:
    """`received` are all lines that came. `with PowerSupply() as supply` closes it at the end."""

    def __init__(self):
        self.received = []
        self.errors = []
        self.voltage = 0.0
        self.is_on = False
        self.sweeping = 0
        self.is_silent = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.switch_off()

    def drop(self):
        """Ends all connections."""
        for each in self._connections:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def switch_off(self):
        # A thread that accepts would keep the port.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop()

    def switch_on(self):
        """Listens on the same port again."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def resource(self):
        return f"TCPIP0::127.0.0.1::{self._port}::SOCKET"

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection.makefile("rw", newline="\n") as lines:
                for line in lines:
                    command = line.rstrip("\n")
                    self.received.append(command)
                    answer = self._answer(command)
                    if answer is not None and not self.is_silent:
                        lines.write(f"{answer}\n")
                        lines.flush()
        except (OSError, ValueError):
            return

    def _answer(self, command):
        head, _, argument = command.partition(" ")
        if head == "*IDN?":
            return "ACME,PSU-30,42,1.0"
        if head == "SYST:ERR?":
            return self.errors.pop(0) if self.errors else '0,"No error"'
        if head == "VOLT?":
            return f"{self.voltage:+.6E}"
        if head == "MEAS:VOLT?":
            return f"{self.voltage if self.is_on else 9.91e37:+.6E}"
        if head == "TRAC?":
            return "1.0,2.5,-3.0"
        if head == "STAT?":
            self.sweeping = max(0, self.sweeping - 1)
            return str(int(self.sweeping > 0))
        if head == "VOLT":
            self._set_voltage(float(argument))
        elif head == "OUTP":
            self.is_on = argument == "1"
        elif head == "SWE":
            self.sweeping = int(argument)
        elif head != "*CLS":
            self.errors.append('-113,"Undefined header"')
        return None

    def _set_voltage(self, voltage):
        if voltage > 25:
            self.errors.append('-222,"Data out of range"')
        else:
            self.voltage = voltage
