# SPDX-License-Identifier: Apache-2.0
"""darktable-cli develops a generated raw picture, by its default steps in OpenCL and without: the pictures have to be alike. It takes devices of the type GPU
only, and none of PoCL's, which its list of drivers excludes: on PoCL alone it says so and computes itself. It would
measure the device against its own code at its first start and do without a slower one: it is told not to (opencl_checksum), since this is about results."""
import os
import re

from harness import AS_GPU_PACKAGES, Suite, Test
from gegl import samples

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = ("raw black/white point", "white balance", "demosaic", "exposure", "input color profile", "filmic rgb", "output color profile")
REFUSED = "*** new device is blacklisted ***"
_ON = re.compile(r"processed `(.+)' on (GPU|CPU)")


def read(finished):
    first, _, _ = finished.output.partition("WITHOUT OPENCL")
    ended = finished.status == 0
    outcomes = {"runs": "pass" if ended else "fail"}
    on_device = {step for step, place in _ON.findall(first) if place == "GPU"}
    for step in STEPS:
        outcomes[step] = "pass" if ended and (step in on_device or REFUSED in first) else "fail"
    try:
        here, there = (samples(os.path.join(finished.folder, name)) for name in ("with.ppm", "without.ppm"))
    except (FileNotFoundError, IndexError):
        return outcomes | {"like its own": "fail"}
    # At thresholds a few pixels fall to the other side.
    far = sum(abs(x - y) > 2 / 255 for x, y in zip(here, there))
    return outcomes | {"like its own": "pass" if len(here) == len(there) > 0 and far < len(here) / 1000 else "fail"}


def tests(quick):
    make = f"/usr/bin/python3 -B {os.path.join(HERE, 'programs', 'raw_picture.py')} in.dng"
    run = "darktable-cli in.dng {name}.ppm --core --conf opencl_checksum=OFF --configdir {name} --cachedir {name}"
    command = (f"{make} && {run.replace('{name}', 'with')} -d opencl -d perf && echo WITHOUT OPENCL && {run.replace('{name}', 'without')} --disable-opencl")
    return [Test("develop", ("/bin/sh", "-c", command), read, env=(("HOME", "{folder}"),), gpu=True)]


SUITE = Suite("darktable", ("darktable", *AS_GPU_PACKAGES), tests)
