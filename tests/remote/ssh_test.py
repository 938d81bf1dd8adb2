# SPDX-License-Identifier: Apache-2.0
"""Hosts of `ssh:`, through a private sshd on the server: they work, let no other user in, and leave nothing."""
import contextlib
import glob
import json
import os
import signal
import stat
import subprocess
import sys
import time

from hosts import HERE, expect, output_of
from private_sshd import PrivateSshd

OTHER_USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
CONNECT = ("import os, socket, sys\n"
           "for path in sys.argv[1:]:\n"
           "  try:\n"
           "    socket.socket(socket.AF_UNIX).connect(path)\n"
           "    print('connected')\n"
           "  except OSError as error:\n"
           "    print(error.strerror)\n")
LISTEN = ("import os, socket, sys\n"
          "s = socket.socket(socket.AF_UNIX)\n"
          "s.bind(sys.argv[1])\n"
          "os.chmod(sys.argv[1], 0o777)\n"
          "s.listen()\n"
          "print('up', flush=True)\n"
          "s.accept()\n")
SOCKETS = ("command", "stream")
WAITS = ["sh", "-c", "echo up; read line; exit ${line:-0}"]


def folders():
    """What skmd-run and skmd-serve have made for ssh, at both ends: they share a file system here."""
    return {name for name in glob.glob("/tmp/skmd-ssh-*") + glob.glob("/tmp/skmd-serve-*")}


def program(hosts):
    return [f"{hosts.build}/bench/matrix_multiplication", "--size", "small", "--check"]


class Run:
    """skmd-run on the client, with hosts of `ssh:`."""

    def __init__(self, hosts, sshd, host, options, command, before=()):
        self.sshd, self.stats_file = sshd, f"{sshd.folder}/stats.json"
        self.before = folders()
        environment = hosts.plain_environment(SKMD_SSH=f"ssh -F {sshd.client_config}", SKMD_PROFILE_DB="off", SKMD_CACHE_DIR=f"{sshd.folder}/cache",
                                              TMPDIR=sshd.folder)
        self.start = time.monotonic()
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.stats_file)
        self.process = subprocess.Popen(
            [*hosts.client_prefix, *before, f"{hosts.build}/bin/skmd-run", "--hosts", host, "--stats", self.stats_file,
             "--log", f"warn:{sshd.folder}/log", *options, "--", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def wait_up(self):
        expect(self.process.stdout.readline() == "up\n", "the application did not start")

    def folder(self, prefix):
        """The one that this run has made."""
        made = [name for name in folders() - self.before if name.startswith(prefix)]
        expect(len(made) == 1, f"folders of this run: {made}")
        return made[0]

    def finish(self, status=0, line=""):
        """Standard error; the status is as expected."""
        output, errors = output_of(self.process, 120, line)
        expect(self.process.returncode == status, f"status {self.process.returncode}: {output[-300:]} {errors[-600:]}")
        return errors

    def stats(self):
        with open(self.stats_file, encoding="utf-8") as file:
            return json.load(file)

    def expect_nothing_left(self, hosts, seconds=0.0):
        """At once, or within so many seconds."""
        hosts.wait_for(lambda: folders() <= self.before and not self.sshd.processes(), seconds + 0.001,
                       f"left: {folders() - self.before} {self.sshd.processes()}")


def host_of(stats, name):
    found = [host for host in stats["hosts"] if name in host.values()]
    expect(len(found) == 1, f"hosts: {stats['hosts']}")
    return found[0]


def test_a_program_runs_right_and_leaves_nothing(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@served", ["--verify", "--partition", "equal"], program(hosts))
        run.finish()
        stats = run.stats()
        run.expect_nothing_left(hosts)
    expect(not host_of(stats, "ssh:root@served")["lost"], f"{stats['hosts']}")
    hosts_of_devices = [device.get("host") for device in stats["devices"]]
    groups = [device["groups"] for device in stats["kernels"][0]["devices"]]
    expect(hosts_of_devices == [None, "ssh:root@served"] and min(groups) > 0, f"{hosts_of_devices} {groups}")
    expect(stats["verify"]["launches"] > 0 and stats["verify"]["mismatches"] == 0, f"{stats['verify']}")


def test_closed_standard_files_do_not_matter(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@served", ["--partition", "equal"], program(hosts), before=["sh", "-c", "exec \"$@\" <&- >&-", "sh"])
        run.finish()
        expect(not host_of(run.stats(), "ssh:root@served")["lost"], f"{run.stats()['hosts']}")
        run.expect_nothing_left(hosts)


def test_selectors_name_the_host_as_the_user_did(hosts):
    with PrivateSshd(hosts) as sshd:
        with open(f"{sshd.folder}/machines", "w", encoding="ascii") as file:
            file.write("ssh:root@served  # through ssh\n")
        run = Run(hosts, sshd, f"@{sshd.folder}/machines", ["--devices", "ssh:root@served/*"], program(hosts))
        run.finish()
        names = [device.get("host") for device in run.stats()["devices"]]
    expect(names == ["ssh:root@served"], f"{names}")


def others_answers(prefix, paths):
    """What another user gets who connects."""
    run = subprocess.run([*prefix, *OTHER_USER, sys.executable, "-c", CONNECT, *paths], capture_output=True, text=True, timeout=60,
                         check=False, cwd="/")
    expect(run.returncode == 0, f"{run}")
    return run.stdout.split("\n")[:-1]


def test_no_other_user_gets_in_at_either_end(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@served", [], WAITS)
        run.wait_up()
        here, there = run.folder("/tmp/skmd-ssh-"), run.folder("/tmp/skmd-serve-")
        for folder in (here, f"{here}/0", there):
            mode = os.lstat(folder).st_mode
            expect(stat.S_ISDIR(mode) and stat.S_IMODE(mode) == 0o700, f"{folder}: {stat.filemode(mode)}")
        paths = [f"{folder}/{name}" for folder in (f"{here}/0", there) for name in SOCKETS]
        for path in paths:
            mode = os.lstat(path).st_mode
            expect(stat.S_ISSOCK(mode) and stat.S_IMODE(mode) & 0o077 == 0, f"{path}: {stat.filemode(mode)}")
        # The one who runs it connects, and the other user does where nothing forbids it.
        own = subprocess.run([*hosts.client_prefix, sys.executable, "-c", CONNECT, *paths], capture_output=True, text=True, timeout=60, check=True)
        expect(own.stdout.split() == ["connected"] * 4, own.stdout)
        os.chmod(sshd.folder, 0o755)
        listener = hosts.on_server([sys.executable, "-c", LISTEN, f"{sshd.folder}/open"])
        expect(listener.stdout.readline() == "up\n", "no listener")
        expect(others_answers(hosts.server_prefix, [f"{sshd.folder}/open"]) == ["connected"], "the other user connects to nothing")
        listener.wait(10)
        for prefix in (hosts.client_prefix, hosts.server_prefix):
            answers = others_answers(prefix, paths)
            expect(answers == ["Permission denied"] * 4, f"another user gets {answers}")
        # With the folder open, the sockets themselves keep others out.
        for folder in (here, f"{here}/0", there):
            os.chmod(folder, 0o711)
        answers = others_answers(hosts.server_prefix, paths)
        expect(answers == ["Permission denied"] * 4, f"another user gets {answers} where the folders are open")
        # Nor is there a port.
        listening = hosts.on_server(["ss", "-Hltn"]).communicate()[0].splitlines()
        expect(len(listening) == 1 and listening[0].split()[3].endswith(f":{sshd.port}") or not hosts.server_prefix, f"{listening}")
        run.finish()
        run.expect_nothing_left(hosts)


def test_nothing_is_left_however_it_ends(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@served", [], WAITS)
        run.wait_up()
        expect(sshd.processes(), "no process is seen while the host is served")
        run.finish(status=3, line="3\n")
        run.expect_nothing_left(hosts)

        run = Run(hosts, sshd, "ssh:root@served", [], ["/nowhere/program"])
        expect("/nowhere/program" in run.finish(status=127), "the program is not named")
        run.expect_nothing_left(hosts)

        for number in (signal.SIGKILL, signal.SIGTERM):
            run = Run(hosts, sshd, "ssh:root@served", [], WAITS)
            run.wait_up()
            run.process.send_signal(number)
            # The application outlives SIGKILL, which nothing passes on, until its input ends.
            if number != signal.SIGKILL:
                run.process.wait(60)
            run.finish(status=-number if number == signal.SIGKILL else 128 + number)
            run.expect_nothing_left(hosts, 10 if number == signal.SIGKILL else 0)

        run = Run(hosts, sshd, "ssh:root@served", [], WAITS)
        hosts.wait_for(sshd.processes, 10, "ssh was not started")
        run.process.kill()
        run.finish(status=-signal.SIGKILL)
        run.expect_nothing_left(hosts, 20)


def keeper_of(process):
    """The process that keeps the connections of a skmd-run: a child with a session of its own."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        own = [pid for pid in map(int, file.read().split()) if os.getsid(pid) == pid]
    expect(len(own) == 1, f"keepers: {own}")
    return own[0]


def test_signals_to_a_whole_job_leave_the_connections(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@served", [], WAITS)
        run.wait_up()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(keeper_of(run.process), number)
        time.sleep(0.5)
        expect(len(sshd.processes("skmd-serve")) == 1, "the connection has ended")
        run.finish(status=0, line="0\n")
        run.expect_nothing_left(hosts)


def left_out(hosts, sshd, host, reason, seconds):
    """The program runs on what is here, and the host is named."""
    run = Run(hosts, sshd, host, ["--verify"], program(hosts))
    errors = run.finish()
    took = time.monotonic() - run.start
    expect(f"skmd-run: {host}: is left out: " in errors and reason in errors, errors)
    expect(errors.count(host) == 1, f"told more than once: {errors}")
    with open(f"{sshd.folder}/log", encoding="utf-8") as file:
        log = file.read()
    expect(f"left out: host {host}: could not be reached by skmd-run" in log, log)
    expect(host_of(run.stats(), host)["lost"], f"{run.stats()['hosts']}")
    expect(took < seconds, f"took {took:.1f} s")
    run.expect_nothing_left(hosts)


def test_a_host_that_is_away_is_left_out(hosts):
    with PrivateSshd(hosts) as sshd:
        left_out(hosts, sshd, "ssh:root@refuses", "Connection refused", 20)
        left_out(hosts, sshd, "ssh:root@away", "", 20)


def test_a_host_that_is_silent_is_left_out(hosts):
    with PrivateSshd(hosts) as sshd:
        os.kill(sshd.process_id(), signal.SIGSTOP)
        try:
            left_out(hosts, sshd, "ssh:root@served", "timed out", 20)
        finally:
            os.kill(sshd.process_id(), signal.SIGCONT)


def test_a_wrong_key_is_left_out(hosts):
    with PrivateSshd(hosts) as sshd:
        left_out(hosts, sshd, "ssh:root@wrong-key", "Permission denied", 20)


def test_a_host_whose_key_is_not_known_is_left_out(hosts):
    with PrivateSshd(hosts) as sshd:
        left_out(hosts, sshd, "ssh:root@unknown", "Host key verification failed", 20)


def test_a_host_without_skmd_serve_is_left_out(hosts):
    with PrivateSshd(hosts, path="/usr/bin:/bin") as sshd:
        left_out(hosts, sshd, "ssh:root@served", "skmd-serve is not in the PATH there", 20)


def test_a_host_that_forbids_forwarding_is_left_out(hosts):
    with PrivateSshd(hosts, more="DisableForwarding yes") as sshd:
        run = Run(hosts, sshd, "ssh:root@served", [], program(hosts))
        errors = run.finish()
        run.expect_nothing_left(hosts)
    expect("ssh:root@served: " in errors and "open failed" in errors, errors)


def test_one_host_of_two_that_is_away_stops_nothing(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@wrong-key,ssh:root@served", ["--partition", "equal", "--verify"], program(hosts))
        run.finish()
        stats = run.stats()
        run.expect_nothing_left(hosts)
    expect(host_of(stats, "ssh:root@wrong-key")["lost"] and not host_of(stats, "ssh:root@served")["lost"], f"{stats['hosts']}")


def test_a_connection_that_ends_stops_nothing(hosts):
    with PrivateSshd(hosts) as sshd:
        run = Run(hosts, sshd, "ssh:root@served", ["--verify"], ["sh", "-c", "echo up; read line; exec \"$@\"", "sh", *program(hosts)])
        run.wait_up()
        for pid in sshd.processes("ssh"):
            os.kill(pid, signal.SIGKILL)
        hosts.wait_for(lambda: not sshd.processes(), 10, "skmd-serve outlives its connection")
        errors = run.finish(line="go\n")
        expect("ssh:root@served: the connection has ended" in errors, errors)
        run.expect_nothing_left(hosts)


def test_a_connection_lost_in_mid_launch_leaves_right_results(hosts):
    for name, number in (("ssh", signal.SIGKILL), ("ssh", signal.SIGSTOP), ("pocld", signal.SIGKILL)):
        with PrivateSshd(hosts) as sshd:
            run = Run(hosts, sshd, "ssh:root@served", ["--devices", "cpu,ssh:root@served/*", "--partition", "fixed:50,50"],
                      [sys.executable, "-B", f"{HERE}/long_launch.py"])
            words = run.process.stdout.readline().split()
            expect(words[:1] == ["launched"], f"no launch: {words}")
            time.sleep(0.3 * float(words[1]))
            lost = sshd.processes(name)
            for pid in lost:
                os.kill(pid, number)
            try:
                output, errors = output_of(run.process, 60)
            finally:
                for pid in lost:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
            told = f"{name}, signal {number}: status {run.process.returncode}: {output[-300:]} {errors[-300:]}"
            expect(run.process.returncode == 0 and json.loads(output.splitlines()[-1])["wrong"] == 0, told)
            expect(host_of(run.stats(), "ssh:root@served")["lost"], f"{told} {run.stats()['hosts']}")
            run.expect_nothing_left(hosts, 5)


def test_the_library_alone_says_that_skmd_run_is_needed(hosts):
    run = subprocess.run([f"{hosts.build}/bin/skmd-info"], capture_output=True, text=True, timeout=60, check=False,
                         env=hosts.environment(SKMD_HOSTS="ssh:root@served"))
    expect(run.returncode != 0 and "SKMD_HOSTS: 'ssh:root@served' is reached by skmd-run" in run.stdout + run.stderr, f"{run}")


def test_serve_takes_no_folder_of_another(hosts):
    with PrivateSshd(hosts) as sshd:
        run = subprocess.run([*hosts.server_prefix, f"{hosts.build}/bin/skmd-serve", "--listen", f"unix:{sshd.folder}"],
                             capture_output=True, text=True, timeout=60, check=False)
        expect(run.returncode == 125 and f"cannot make the folder {sshd.folder}: File exists" in run.stderr, f"{run}")
        expect(os.path.isdir(sshd.folder), "it has removed a folder that it did not make")
