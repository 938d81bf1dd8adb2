# SPDX-License-Identifier: Apache-2.0
"""x264's lookahead in OpenCL on a generated film. It takes devices of the type GPU only. Films of intra frames have to have PoCL's bytes. Where frames
are predicted from others, four work-items search together through local memory without a barrier, as if they were one hardware thread: OpenCL does not define
what they find, and on PoCL with B-frames it changes from run to run, so that such films have to be whole and like the input only."""
import hashlib
import os
import re

from harness import AS_GPU_PACKAGES, Suite, Test, written

HERE = os.path.dirname(os.path.abspath(__file__))
INTRA = ("--keyint", "1")
# name: (width, height, options)
FILMS = {
    "intra": (320, 240, INTRA),
    "intra_odd": (328, 246, INTRA),
    "intra_rate": (320, 240, (*INTRA, "--bitrate", "900")),
    "intra_wide": (640, 130, (*INTRA, "--preset", "slow")),
    "predicted": (320, 240, ("--bframes", "0", "--weightp", "0")),
    "weighted": (320, 240, ("--bframes", "0", "--weightp", "2")),
    "both_ways": (328, 246, ("--bframes", "3")),
}
_ENABLED = re.compile(r"OpenCL acceleration enabled with ")
_FRAMES = re.compile(r"^encoded (\d+) frames", re.MULTILINE)
_PSNR = re.compile(r"PSNR Mean .* Avg: *([0-9.]+) ")
FRAMES, LEAST_PSNR = 12, 30  # dB


def reader(same_bytes):
    def read(finished):
        frames, likeness = _FRAMES.search(finished.output), _PSNR.search(finished.output)
        ended = finished.status == 0 and frames is not None and int(frames[1]) == FRAMES
        outcomes = {"runs": "pass" if ended else "fail",
                    "opencl": "pass" if ended and _ENABLED.search(finished.output) and "disabl" not in finished.output else "fail",
                    "like the input": "pass" if ended and likeness and float(likeness[1]) >= LEAST_PSNR else "fail"}
        if same_bytes:
            outcomes["bytes"] = "=" + hashlib.md5(written(finished, "film.264")).hexdigest() if ended else "fail"
        return outcomes
    return read


def test(name, width, height, options):
    make = f"/usr/bin/python3 -B {os.path.join(HERE, 'programs', 'film.py')} {width} {height} film.y4m"
    encode = " ".join(("x264", "--opencl", "--threads", "1", "--psnr", *options, "film.y4m", "-o", "film.264"))
    return Test(name, ("/bin/sh", "-c", f"{make} && exec {encode}"), reader(options[:2] == INTRA), gpu=True)


def tests(quick):
    return [test(name, *film) for name, film in FILMS.items()]


SUITE = Suite("x264", ("x264", *AS_GPU_PACKAGES), tests)
