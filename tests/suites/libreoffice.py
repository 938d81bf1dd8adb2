# SPDX-License-Identifier: Apache-2.0
"""LibreOffice Calc computes a sheet of formulas in OpenCL and without: every column has to be the same within 1e-9. Told to use OpenCL at any cost, it
ends by abort() where it finds no device; it takes one of the type CPU only where SC_OPENCL_DEVICE_OVERRIDE names it. At its start it checks the
device by a sheet of its own."""
import math
import os

from harness import Suite, Test, written
from programs.sheet import FORMULAS, ROWS

HERE = os.path.dirname(os.path.abspath(__file__))


def table(text):
    """Columns of numbers; text where a cell has none, as in an error."""
    rows = [line.split(",") for line in text.splitlines()]
    return list(zip(*rows)) if rows and len({len(row) for row in rows}) == 1 else []


def same(here, there):
    try:
        return math.isclose(float(here), float(there), rel_tol=1e-9, abs_tol=1e-9)
    except ValueError:
        return here == there


def read(finished):
    here, there = (table(written(finished, f"{name}/in.csv").decode("utf-8", "replace")) for name in ("with", "without"))
    outcomes = {"runs": "pass" if finished.status == 0 and len(here) == len(there) == 2 + len(FORMULAS) and len(here[0]) == ROWS else "fail"}
    for at, name in enumerate(FORMULAS, 2):
        right = outcomes["runs"] == "pass" and len(here[at]) == len(there[at]) and all(map(same, here[at], there[at]))
        outcomes[name] = "pass" if right else "fail"
    return outcomes


def tests(quick):
    make = f"/usr/bin/python3 -B {os.path.join(HERE, 'programs', 'sheet.py')} in.fods"
    convert = "soffice -env:UserInstallation=file://{folder}/profile_{name} --headless --convert-to csv --outdir {name} in.fods"
    device = "$(clinfo --raw --prop CL_DEVICE_NAME | sed -n 's/.*CL_DEVICE_NAME *//p' | head -n 1)"
    command = (f"{make} && SC_FORCE_CALCULATION=opencl SC_OPENCL_DEVICE_OVERRIDE=\"{device}\" {convert.replace('{name}', 'with')} && "
               f"SC_FORCE_CALCULATION=core {convert.replace('{name}', 'without')}")
    return [Test("sheet", ("/bin/sh", "-c", command), read, env=(("HOME", "{folder}"),))]


SUITE = Suite("libreoffice", ("libreoffice-calc", "clinfo"), tests)
