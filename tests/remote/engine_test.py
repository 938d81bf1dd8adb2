# SPDX-License-Identifier: Apache-2.0
"""The engine by itself: PoCL's remote client against its daemon, with every real driver of the server."""
import os
import random
import shutil
import signal
import sys
import tempfile
import time

from hosts import Skipped, expect


def test_lists_all_devices(hosts):
    with hosts.serve("--each") as server:
        # The application's settings of PoCL do not matter.
        answer = hosts.engine_client("listing", server.address, POCL_DEVICES="basic", POCL_REMOTE0_PARAMETERS="nowhere:1/3")
    expect(server.devices > 0 and len(answer["devices"]) == server.devices, f"{server.devices} served, {answer}")
    expect(answer["servers"][0] == [server.devices, ""], f"{answer}")
    expect(answer["servers"][1][0] == -1, "a server that was not named has devices")
    expect(answer["of"] == [server.address] * server.devices and answer["foreign"] is None, f"{answer['of']}")
    expect(answer["set"] == 0 and answer["late"] == -1, f"pocl_remote_set_servers: {answer['set']}, late {answer['late']}")


def test_two_servers_at_once(hosts):
    with hosts.serve("--each") as one, hosts.serve("--each") as other:
        answer = hosts.engine_client("listing", one.address, other.address)
        sums = hosts.engine_client("adds", one.address, other.address)
    expect(answer["of"] == [one.address] * one.devices + [other.address] * other.devices, f"{answer}")
    expect(sums == {"devices": one.devices + other.devices, "wrong": 0}, f"{sums}")


def test_rectangles_leave_host_bytes_between_rows(hosts):
    with hosts.serve("--each") as server:
        answer = hosts.engine_client("rectangles", server.address)
    expect(answer["wrong"] == [], f"wrong: {answer['wrong']}")


def test_images_with_pitches(hosts):
    with hosts.serve("--each") as server:
        answer = hosts.engine_client("images", server.address)
        if "skipped" in answer:
            raise Skipped(answer["skipped"])
        expect(answer["right"], "pixels or bytes between rows are wrong")
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "the daemon does not go on after images")


def test_beside_another_pocl_in_one_process(hosts):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/remote.icd", "w", encoding="ascii") as file:
            file.write(hosts.engine + "\n")
        if not os.path.exists("/etc/OpenCL/vendors/pocl.icd"):
            raise Skipped("this host has no PoCL")
        shutil.copy("/etc/OpenCL/vendors/pocl.icd", folder)
        with hosts.serve("--each") as server:
            answer = hosts.engine_client("two_pocls", server.address, OCL_ICD_VENDORS=folder)
    expect(answer["wrong"] == 0 and answer["far"] == server.devices and answer["own"], f"{answer}")


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def test_waiting_takes_no_processor(hosts):
    """With one thread for kernels, a launch costs the daemon one processor and no other."""
    with hosts.serve("--devices", "cpu", SKMD_CPU_THREADS="1") as server:
        daemon = server.daemon()
        hosts.engine_client("adds", server.address)
        before, start = processor_seconds(daemon), time.monotonic()
        answer = hosts.engine_client("one_launch", server.address)
        took, used = time.monotonic() - start, processor_seconds(daemon) - before
    expect(answer["seconds"] > 1.5, f"the launch took {answer['seconds']:.1f} s, too short to tell")
    expect(used < 1.15 * took, f"{used:.1f} s of processors in {took:.1f} s")


def silent_listener(hosts, address):
    """A program on the server that accepts connections and says nothing."""
    code = ("import socket, sys\nkeep = []\ns = socket.create_server((sys.argv[1], int(sys.argv[2])))\nprint('up', flush=True)\n"
            "while True: keep.append(s.accept())")
    process = hosts.on_server([sys.executable, "-c", code, *address.split(":")])
    expect(process.stdout.readline() == "up\n", "no listener")
    return process


def away(hosts, address, reason):
    with hosts.serve("--each") as server:
        answer = hosts.engine_client("listing", address, server.address)
    expect(answer["seconds"] < 2, f"took {answer['seconds']:.2f} s")
    expect(answer["of"] == [server.address] * server.devices, f"{answer}")
    expect(answer["servers"][0][0] == -1 and reason in answer["servers"][0][1], f"{answer['servers'][0]}")


def test_server_that_is_silent_is_left_out_alone(hosts):
    address = hosts.next_address()
    listener = silent_listener(hosts, address)
    try:
        away(hosts, address, "did not answer within a second")
    finally:
        listener.kill()
        listener.wait()


def test_server_that_is_not_there_is_left_out_alone(hosts):
    away(hosts, hosts.next_address(), "refused")


def test_host_that_is_not_there_is_left_out_alone(hosts):
    if not hosts.client_prefix:
        raise Skipped("on the loopback every host is there")
    away(hosts, "10.77.0.9:10998", "")


def test_address_that_is_none_is_left_out_alone(hosts):
    away(hosts, "no port here", "HOST:PORT")


def loss(hosts, server, do):
    client = hosts.start_engine("lost", server.address)
    expect("launched" in client.stdout.readline(), "no launch")
    time.sleep(0.3)
    do(server.daemon())
    answer = hosts.finish(client, 60)
    calls = answer["calls"]
    expect(calls["read"][0] < 0 and calls["launch"][0] < 0, f"events ended well: {calls}")
    expect(calls["read"][1] < 5, f"events ended after {calls['read'][1]:.1f} s")
    expect(calls["blocked"] == 0, "a call is blocked")
    expect(answer["untouched"], "bytes were written by a read that failed")
    expect(calls["available"][0] is not True, f"available: {calls['available']}")
    for name in ("wait", "finish", "blocking read"):
        expect(isinstance(calls[name][0], str), f"{name} does not tell of the loss: {calls[name]}")
    for name in ("enqueue", "buffer", "copy", "program", "queue"):
        expect(isinstance(calls[name][0], str) or name == "buffer", f"{name} on a lost device: {calls[name]}")
    expect(answer["end"] < calls["read"][1] + 6, f"calls after the loss took {answer['end'] - calls['read'][1]:.1f} s")


def test_daemon_killed_in_mid_launch(hosts):
    with hosts.serve("--each") as server:
        for _ in range(3):
            loss(hosts, server, lambda daemon: os.kill(daemon, signal.SIGKILL))
            server.wait_ready()
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "the new daemon is wrong")


def test_daemon_stopped_in_mid_launch(hosts):
    with hosts.serve("--each") as server:
        daemon = server.daemon()
        try:
            loss(hosts, server, lambda pid: os.kill(pid, signal.SIGSTOP))
        finally:
            os.kill(daemon, signal.SIGCONT)
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "the daemon does not go on")


def test_daemon_killed_at_random_moments(hosts):
    moments = random.Random(28)
    rounds = 0
    with hosts.serve("--each") as server:
        for _ in range(8):
            client = hosts.start_engine("churn", server.address)
            expect("started" in client.stdout.readline(), "no client")
            moment = moments.uniform(0, 1.5)
            time.sleep(moment)
            os.kill(server.daemon(), signal.SIGKILL)
            answer = hosts.finish(client, 10)
            expect(answer["wrong"] == 0 and answer["error"], f"killed after {moment:.3f} s: {answer}")
            rounds += answer["rounds"]
            server.wait_ready()
    expect(rounds > 0, "no client has done anything")


def test_link_away_for_long(hosts):
    if not hosts.client_prefix:
        raise Skipped("the loopback cannot be taken away")
    with hosts.serve("--each") as server:
        client = hosts.start_engine("churn", server.address)
        expect("started" in client.stdout.readline(), "no client")
        time.sleep(1)
        try:
            expect(hosts.on_server(["ip", "link", "set", "eth0", "down"]).wait() == 0, "cannot take the link away")
            down = time.monotonic()
            answer = hosts.finish(client, 10)
            expect(answer["error"] and answer["wrong"] == 0, f"{answer}")
            expect(time.monotonic() - down < 6, f"lost after {time.monotonic() - down:.1f} s")
        finally:
            hosts.on_server(["ip", "link", "set", "eth0", "up"]).wait()
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "no service when the link is back")


def test_link_away_for_a_second(hosts):
    if not hosts.client_prefix:
        raise Skipped("the loopback cannot be taken away")
    with hosts.serve("--each") as server:
        client = hosts.start_engine("churn", server.address)
        expect("started" in client.stdout.readline(), "no client")
        for _ in range(2):
            time.sleep(1)
            expect(hosts.on_server(["ip", "link", "set", "eth0", "down"]).wait() == 0, "cannot take the link away")
            time.sleep(1)
            hosts.on_server(["ip", "link", "set", "eth0", "up"]).wait()
        answer = hosts.finish(client, 60)
    expect(answer["error"] == "" and answer["wrong"] == 0 and answer["rounds"] > 10, f"{answer}")


def test_long_launch_is_no_loss(hosts):
    """While a kernel runs the daemon has nothing to answer, for longer than silence is borne."""
    with hosts.serve("--each") as server:
        client = hosts.start_engine("lost", server.address)
        expect("launched" in client.stdout.readline(), "no launch")
        answer = hosts.finish(client)
    seconds = answer["calls"]["read"][1]
    expect(answer["calls"]["read"][0] == 0 and answer["calls"]["available"][0] is True, f"{answer['calls']}")
    expect(seconds > 4, f"the launch took {seconds:.1f} s, too short to tell")


def test_a_write_behind_a_long_launch_is_no_loss(hosts):
    """The daemon's only reader must not wait in the write's call: it also lets the thread through that says that the server lives."""
    with hosts.serve("--each") as server:
        answer = hosts.engine_client("early_write", server.address)
    expect(answer["failed"] == "" and answer["wrong"] == 0 and answer["statuses"] == [0, 0, 0], f"{answer}")
    expect(answer["seconds"] > 3.5, f"too short to tell: {answer}")


def test_a_refused_launch_fails_what_waits_for_it(hosts):
    with hosts.serve("--devices", "cpu") as server:
        answer = hosts.engine_client("refused", server.address)
    expect(answer["first"] == 0 and answer["wrong"] < 0 and answer["behind"] <= 0 and answer["after"] == 0, f"{answer}")


def test_options_reach_the_servers_compiler(hosts):
    for devices in ("--each",), ("--devices", "cpu"):
        with hosts.serve(*devices) as server:
            answer = hosts.engine_client("options", server.address)
        expect(answer["refused"] == [], f"{devices}: {answer['refused']}")
        expect(all(multiple > 1 for multiple in answer["multiples"]), f"{devices}: groups are to be multiples of {answer['multiples']}")


def test_launches_of_two_queues_have_their_own_arguments(hosts):
    for devices in ("--each",), ("--devices", "cpu"):
        with hosts.serve(*devices) as server:
            answer = hosts.engine_client("two_queues", server.address)
        expect(answer["sums"] == [[1, 20]], f"{answer}")


def test_commands_of_a_queue_keep_their_order(hosts):
    for devices in ("--each",), ("--devices", "cpu"):
        with hosts.serve(*devices) as server:
            expect(hosts.engine_client("order", server.address)["wrong"] == [], "host memory was used too soon")


def test_times_are_the_servers(hosts):
    with hosts.serve("--devices", "cpu") as server:
        for row in hosts.engine_client("times", server.address)["rows"]:
            (_, written), (begun, done), (read, ended) = row
            expect(0 <= written < 60000 and 0 <= begun < done <= read + 1 and read <= ended < 60000, f"{row}")


def test_two_clients_of_one_server(hosts):
    with hosts.serve("--each") as server:
        clients = [hosts.start_engine("adds", server.address) for _ in range(3)]
        for client in clients:
            expect(hosts.finish(client)["wrong"] == 0, "wrong sums")


def threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def test_clients_that_die_leave_nothing(hosts):
    with hosts.serve("--each") as server:
        daemon = server.daemon()
        hosts.engine_client("adds", server.address)
        time.sleep(4)
        before = threads(daemon)
        for _ in range(6):
            client = hosts.start_engine("hold", server.address)
            expect("launched" in client.stdout.readline(), "no launch")
            client.kill()
            client.wait()
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "wrong sums beside dead clients' launches")
        hosts.wait_for(lambda: threads(daemon) <= before, 60, f"{threads(daemon)} threads, {before} before")
        expect(server.daemon() == daemon, "the daemon has died of it")


def test_daemon_bears_garbage(hosts):
    code = ("import os, socket, sys\n"
            "for n in range(20):\n"
            "  s = socket.create_connection((sys.argv[1], int(sys.argv[2]) + n % 2))\n"
            "  s.sendall(os.urandom(n * 7) if n % 4 else b'GET / HTTP/1.1\\r\\n\\r\\n')\n"
            "  s.close()\n")
    with hosts.serve("--each") as server:
        daemon = server.daemon()
        client = hosts.on_client([sys.executable, "-c", code, *server.address.split(":")])
        expect(client.wait(20) == 0, "cannot connect")
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "wrong sums")
        expect(server.daemon() == daemon, "the daemon has died of it")


def test_all_ports_are_at_the_given_address(hosts):
    with hosts.serve("--each") as server:
        port = int(server.address.split(":")[1])
        listing = hosts.on_server(["ss", "-Hltn"]).communicate()[0]
        at = {line.split()[3] for line in listing.splitlines() if line.split()[3].rsplit(":", 1)[1] in map(str, range(port, port + 4))}
    expect(at == {f"{hosts.address}:{port + n}" for n in range(3)}, f"listens at {sorted(at)}")
