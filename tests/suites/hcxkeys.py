# SPDX-License-Identifier: Apache-2.0
"""hcxkeys: the keys that wlangenpmkocl derives of pass phrases in OpenCL, against those of wlangenpmk, which does not use it."""
from harness import Suite, Test, written

# name: network, how many pass phrases
LISTS = {"few": ("network", 5), "many": ("another network", 3000)}


def read(finished):
    here, there = written(finished, "with"), written(finished, "without")
    return {"runs": "pass" if finished.status == 0 else "fail", "keys": "pass" if here and here == there else "fail"}


def test(name, network, count):
    make = f"seq -f 'pass phrase %.0f' {count} > words"
    return Test(name, ("/bin/sh", "-c", f"{make} && wlangenpmkocl -e '{network}' -i words -A with && wlangenpmk -e '{network}' -i words -A without"), read)


def tests(quick):
    return [test(name, *values) for name, values in LISTS.items()]


SUITE = Suite("hcxkeys", ("hcxkeys",), tests)
