#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the functions test_… of all files …_test.py beside this one, each with a Hosts, and ends with `N passed, M failed`.

    run.py BUILD CLIENT-BUILD SERVER-ADDRESS CLIENT-PREFIX SERVER-PREFIX [NAME-PART…]

The prefixes are what a command is started with on either host, as `ip netns exec skmd-a`; may be empty.
"""
import glob
import importlib
import os
import sys
import time

from hosts import HERE, Hosts, Skipped


def tests():
    for path in sorted(glob.glob(f"{HERE}/*_test.py")):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, function in list(vars(module).items()):
            if name.startswith("test_") and callable(function):
                yield f"{module.__name__[:-5]}.{name[5:]}", function


def main():
    build, client_build, address, client, server = sys.argv[1:6]
    parts = sys.argv[6:]
    hosts = Hosts(build, client.split(), server.split(), address, client_build)
    passed, failed, skipped = 0, 0, 0
    for name, function in tests():
        if parts and not any(part in name for part in parts):
            continue
        start = time.monotonic()
        try:
            function(hosts)
            passed += 1
            print(f"ok       {name} ({time.monotonic() - start:.1f} s)", flush=True)
        except Skipped as reason:
            skipped += 1
            print(f"skipped  {name}: {reason}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED   {name}: {type(error).__name__}: {error}", flush=True)
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
