# SPDX-License-Identifier: Apache-2.0
"""equal_writes_test.py BUILD: an application that writes the same numbers before each launch has them sent once; one that changes them, each time."""
import os
import subprocess
import sys
import tempfile

ROUNDS = 12


def writes(build, *options):
    """The fake driver's writes while ROUNDS times something was written, launched and read."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/skmd.icd", "w", encoding="utf-8") as file:
            file.write(f"{build}/lib/libskmd.so.0\n")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "STUB_", "OCL_ICD", "OPENCL_"))}
        environment |= {"OCL_ICD_VENDORS": folder, "SKMD_VENDORS": f"{build}/tests/stub-icd/vendors", "SKMD_DEVICES": "stub:0", "SKMD_TEST_CPU_DRIVER": "0",
                        "SKMD_CACHE_DIR": f"{folder}/cache", "SKMD_PROFILE_DB": "off", "STUB_DEVICES": "gpu", "STUB_DELAY_US": "0", "STUB_LOG": f"{folder}/log"}
        subprocess.run([f"{build}/bench/micro/round_trips", "--repeat", str(ROUNDS), *options], env=environment, check=True, timeout=300,
                       stdout=subprocess.DEVNULL)
        with open(f"{folder}/log", encoding="utf-8") as file:
            lines = file.read().splitlines()
    assert sum("clEnqueueNDRangeKernel" in line for line in lines) == ROUNDS, lines
    return sum("clEnqueueWriteBuffer" in line for line in lines)


def main():
    build = os.path.abspath(sys.argv[1])
    changing, same = writes(build), writes(build, "--same")
    assert changing == ROUNDS, changing
    assert same == 1, same
    print("ok")


main()
