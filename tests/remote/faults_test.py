# SPDX-License-Identifier: Apache-2.0
"""The fault matrix over the engine: a server's driver fails at one call after another, and an application over the processor here and that server's
device gets right results or errors that the specification knows."""
import collections
import json
import os
import subprocess
import tempfile

from hosts import expect, output_of

# Each fifth failure is tried; with five rounds or more, each.
EVERY = max(1, 5 // int(os.environ.get("SKMD_TEST_ROUNDS", "1")))
HANGS = 60  # seconds
USES = 3  # of each call, the first ones fail


def server_environment(hosts, **more):
    """SKMD there over the stub driver alone, one GPU, commands on a thread of their own."""
    return {"SKMD_VENDORS": f"{hosts.build}/tests/stub-icd/vendors", "STUB_DEVICES": "gpu", "STUB_DELAY_US": "0", **more}


def session(hosts, server, folder):
    """Status and output of one session."""
    environment = hosts.plain_environment(OCL_ICD_VENDORS=f"{hosts.client_build}/tests/faults/vendors", SKMD_HOSTS=server.address, SKMD_CPU_THREADS="1",
                                          SKMD_DEVICES=f"cpu,{server.address}/*", SKMD_PARTITION="equal", SKMD_CACHE_DIR=f"{folder}/cache",
                                          SKMD_PROFILE_DB="off")
    process = subprocess.Popen([*hosts.client_prefix, f"{hosts.client_build}/tests/faults/fault_session"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env=environment)
    output, _ = output_of(process, HANGS)
    return process.returncode, output


def calls_of(path):
    with open(path, encoding="utf-8") as file:
        return collections.Counter(line.split("(")[0].split()[0] for line in file if line.strip())


def failures_of(calls):
    for call, count in sorted(calls.items()):
        for use in range(1, min(count, USES) + 1):
            yield f"{call}:{use}:-5"
            if call.startswith("clEnqueue"):
                yield f"run:{call}:{use}:-5"
                yield f"lost:run:{call}:{use}:-5"


def test_every_call_of_a_servers_driver_fails(hosts):
    with tempfile.TemporaryDirectory() as folder:
        with hosts.serve("--devices", "stub:0", **server_environment(hosts, STUB_LOG=f"{folder}/calls")) as server:
            status, output = session(hosts, server, folder)
            # The processor here cannot build the program that only the stub takes.
            expect(status == 0 and json.loads(output.splitlines()[-1])["errors"] == 1, f"without a failure: {status} {output[-600:]}")
        failures = list(failures_of(calls_of(f"{folder}/calls")))[::EVERY]
        bad, served = [], 0
        for failure in failures:
            try:
                with hosts.serve("--devices", "stub:0", **server_environment(hosts, STUB_FAIL=failure)) as server:
                    served += 1
                    daemon = server.daemon()
                    status, output = session(hosts, server, folder)
                    if status != 0 or server.daemon() != daemon:
                        bad.append(f"{failure}: status {status}, daemon {daemon} and {server.daemon()}: {output[-300:]}")
            except AssertionError as error:
                # Without a device to serve it ends with status 125.
                if not str(error).endswith("status 125"):
                    bad.append(f"{failure}: {error}")
    expect(not bad, f"{len(bad)} of {len(failures)}:\n" + "\n".join(bad))
    expect(served > len(failures) / 2, f"only {served} of {len(failures)} servers began")
