# SPDX-License-Identifier: Apache-2.0
"""Two hosts for tests of remote devices: network namespaces, or two loopback ports of one host."""
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Skipped(Exception):
    """A test that cannot be made here; the text says why."""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def output_of(process, seconds, text=None):
    """What a process with pipes has written to its standard output and error, once it has ended; it gets `text` as its input. One that takes longer
    is killed, and an error."""
    try:
        return process.communicate(text, timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"{process.args[-1]} hangs for {seconds} s") from None


class Server:
    """A running skmd-serve."""

    def __init__(self, process, address):
        self.process, self.address = process, address
        self.devices = 0

    def line(self, seconds=60):
        """The next line that it prints; fails if there is none in time."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        text = self.process.stdout.readline().strip() if ready else ""
        expect(text, f"skmd-serve says nothing for {seconds} s, status {self.process.poll()}")
        return text

    def wait_ready(self):
        match = re.fullmatch(r"serving (\d+) devices on (\S+)", self.line())
        expect(match and match.group(2) == self.address, "no line 'serving N devices on ADDRESS:PORT'")
        self.devices = int(match.group(1))

    def daemon(self):
        """Process id of the daemon now."""
        children = []
        for own in (self.process.pid, *self._children(self.process.pid)):
            children += self._children(own)
        found = [pid for pid in children if self._name(pid) == "pocld"]
        expect(len(found) == 1, f"daemons of skmd-serve: {found}")
        return found[0]

    @staticmethod
    def _children(pid):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return [int(child) for child in file.read().split()]
        return []

    @staticmethod
    def _name(pid):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                return file.read().strip()
        return ""


class Hosts:
    def __init__(self, build, client, server, address, client_build=None):
        self.build = build
        self.client_build = client_build or build  # of native programs on the client; a sanitizer's, if named
        self.client_prefix, self.server_prefix = client, server
        self.address = address
        self.port = 10900
        self.engine = f"{build}/lib/skmd/libpocl-remote.so"

    def plain_environment(self, **more):
        """Of a native program on the client: nothing of SKMD's or the loader's but `more`, and the engine, where its build has none."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "OCL_ICD", "OPENCL_"))}
        return {**plain, **({} if self.client_build == self.build else {"SKMD_TEST_REMOTE_ENGINE": self.engine}), **more}

    def next_address(self):
        """A port of the server that no test has used yet, with its two neighbours."""
        self.port += 4
        return f"{self.address}:{self.port}"

    def environment(self, **more):
        return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **more}

    def on_client(self, command, **more):
        """Starts a command on the client; its output is a pipe."""
        return subprocess.Popen([*self.client_prefix, *command], stdout=subprocess.PIPE, text=True, env=self.environment(**more))

    def on_server(self, command, **more):
        return subprocess.Popen([*self.server_prefix, *command], stdout=subprocess.PIPE, text=True, env=self.environment(**more))

    @contextlib.contextmanager
    def serve(self, *arguments, address=None, **more):
        """skmd-serve on the server, ready; it has ended afterwards."""
        address = address or self.next_address()
        server = Server(self.on_server([f"{self.build}/bin/skmd-serve", "--listen", address, *arguments], **more), address)
        try:
            server.wait_ready()
            yield server
        finally:
            server.process.send_signal(signal.SIGTERM)
            try:
                server.process.wait(10)
            finally:
                server.process.kill()
                server.process.wait()

    def start_engine(self, name, *addresses, **more):
        """A client of engine_clients.py, under way."""
        return self.on_client(["/usr/bin/python3", "-B", f"{HERE}/engine_clients.py", name, self.engine, *addresses], **more)

    def engine_client(self, name, *addresses, seconds=120, **more):
        """What such a client answers."""
        return self.finish(self.start_engine(name, *addresses, **more), seconds)

    @staticmethod
    def finish(process, seconds=120):
        output, _ = output_of(process, seconds)
        expect(process.returncode == 0, f"a client ended with status {process.returncode}")
        return json.loads(output.strip().splitlines()[-1])

    @staticmethod
    def wait_for(condition, seconds, text):
        end = time.monotonic() + seconds
        while not condition():
            expect(time.monotonic() < end, text)
            time.sleep(0.02)
