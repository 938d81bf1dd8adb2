# SPDX-License-Identifier: Apache-2.0
"""An sshd of its own on the server, with keys, a port and a configuration that nothing else uses."""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from hosts import Skipped, expect


class PrivateSshd:
    """Within `with`. Names for clients that read `client_config`: served; wrong-key and unknown, which sshd and the client refuse; refuses and
    away, where nothing listens."""

    def __init__(self, hosts, path=None, more=""):
        """`path`: PATH of sessions; by default with the build's commands. `more`: lines of sshd's configuration."""
        if os.geteuid() != 0:
            raise Skipped("sshd needs root")
        self.program = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/local/sbin")
        if self.program is None or not shutil.which("setpriv"):
            raise Skipped("sshd or setpriv is not installed")
        self.hosts = hosts
        self.port = int(hosts.next_address().rsplit(":", 1)[1])
        self.path = path or f"{hosts.build}/bin:/usr/bin:/bin"
        self.more = more

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ssh-test-")
        self.client_config = f"{self.folder}/client"
        for name in ("host", "user", "wrong"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/{name}"], check=True)
        shutil.copy(f"{self.folder}/user.pub", f"{self.folder}/authorized")
        self.write_configurations()
        os.makedirs("/run/sshd", exist_ok=True)  # sshd wants it for separating privileges
        # Not through hosts.on_server: its output is not read.
        with open(f"{self.folder}/sshd.log", "w", encoding="ascii") as log:
            self.process = subprocess.Popen([*self.hosts.server_prefix, self.program, "-D", "-e", "-f", f"{self.folder}/sshd"], stdout=log, stderr=log)
        try:
            self.hosts.wait_for(self.answers, 10, "sshd does not listen")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for pid in [*self.processes(), *self.sessions()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write_configurations(self):
        with open(f"{self.folder}/sshd", "w", encoding="ascii") as file:
            file.write(f"Port {self.port}\nListenAddress {self.hosts.address}\nHostKey {self.folder}/host\n"
                       f"AuthorizedKeysFile {self.folder}/authorized\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n"
                       "KbdInteractiveAuthentication no\nUsePAM no\nPidFile none\nStrictModes no\nPrintMotd no\n"
                       f"SetEnv PATH={self.path} TMPDIR={self.folder}\n{self.more}\n")
        with open(f"{self.folder}/host.pub", encoding="ascii") as file:
            key = " ".join(file.read().split()[:2])
        with open(f"{self.folder}/known", "w", encoding="ascii") as file:
            file.write(f"[{self.hosts.address}]:{self.port} {key}\n")
        open(f"{self.folder}/none", "w", encoding="ascii").close()
        away = self.hosts.address.rsplit(".", 1)[0] + ".9"
        names = (("served", self.hosts.address, self.port, "user", "known"), ("wrong-key", self.hosts.address, self.port, "wrong", "known"),
                 ("unknown", self.hosts.address, self.port, "user", "none"), ("refuses", self.hosts.address, 1, "user", "known"),
                 ("away", away, self.port, "user", "known"))
        with open(self.client_config, "w", encoding="ascii") as file:
            for name, address, port, user, known in names:
                file.write(f"Host {name}\n  HostName {address}\n  Port {port}\n  IdentityFile {self.folder}/{user}\n"
                           f"  UserKnownHostsFile {self.folder}/{known}\n")
            # As users have it; skmd-run does without.
            file.write(f"Host *\n  IgnoreUnknown UseKeychain\n  UseKeychain yes\n  IdentitiesOnly yes\n  GlobalKnownHostsFile none\n  ControlMaster auto\n  ControlPath {self.folder}/master\n"
                       "  ControlPersist yes\n  StdinNull yes\n  SessionType none\n")

    def answers(self):
        expect(self.process.poll() is None, f"sshd ends with status {self.process.poll()}")
        probe = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 1).close()"
        client = subprocess.run([*self.hosts.client_prefix, "/usr/bin/python3", "-c", probe, self.hosts.address, str(self.port)],
                                stderr=subprocess.DEVNULL, check=False)
        return client.returncode == 0

    def process_id(self):
        """Of the sshd that listens."""
        return self.process.pid

    def sessions(self):
        """Processes of this sshd that serve a connection."""
        with contextlib.suppress(OSError):  # it may have ended
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
                return [int(pid) for pid in file.read().split()]
        return []

    def processes(self, name=None):
        """Those of either end that belong to a connection: ssh, skmd-serve and its daemon; or those of one name."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace").split("\0")
                with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                    comm = file.read().strip()
                ours = f"{self.client_config}" in words or any("unix:/tmp/skmd-serve-" in word for word in words)
                if ours and comm in ("ssh", "skmd-serve", "pocld") and name in (None, comm):
                    found.append(int(pid))
        return found
