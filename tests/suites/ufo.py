# SPDX-License-Identifier: Apache-2.0
"""UFO's filters for X-ray pictures, in chains on a generated picture: byte by byte against what PoCL alone computes; a Fourier transform and back has to give
the picture itself. Not here: filters that make images of
CL_INTENSITY (detect-edge, rescale, rotate, pad, polar-coordinates, forwardproject), which PoCL refuses; swap-quadrants, whose work-group size
it refuses; and non-local-means, which dies there."""
import array
import hashlib
import os

from harness import Suite, Test, written

HERE = os.path.dirname(os.path.abspath(__file__))
PIXELS = 328 * 246
FOLDED = 512 * 256  # the transform's own size: clFFT's inverse divides by it, and UFO once more
CHAINS = {
    "bin": "bin size=2",
    "binarize": "binarize threshold=0.5",
    "blur": "blur size=7 sigma=2",
    "calculate": "calculate expression='v*2+x'",
    "clip": "clip min=0.2 max=0.8",
    "denoise": "denoise",
    "fft": "fft dimensions=2 ! ifft dimensions=2 ! crop width=328 height=246",
    "flip": "flip direction=horizontal",
    "gradient": "gradient",
    "median": "median-filter size=3",
    "outliers": "remove-outliers",
    "power": "fft dimensions=2 ! power-spectrum",
    "transpose": "transpose ! crop x=10 y=10 width=100 height=100",
}


def read(finished):
    data = written(finished, "out.raw")
    if finished.status != 0 or not data:
        return {"runs": "fail", "bytes": "fail"}
    return {"runs": "fail" if "Error" in finished.output else "pass", "bytes": "=" + hashlib.md5(data).hexdigest()}


def read_picture(finished):
    here, there = written(finished, "out.raw"), written(finished, "in.tif")[-PIXELS * 4:]
    same = len(here) == len(there) > 0 and all(abs(x * FOLDED - y) < 1e-5 for x, y in zip(*(array.array("f", data) for data in (here, there))))
    return read(finished) | {"the picture itself": "pass" if same else "fail"}


def tests(quick):
    make = f"/usr/bin/python3 -B {os.path.join(HERE, 'programs', 'raw_picture.py')} in.tif"
    return [Test(name, ("/bin/sh", "-c", f"{make} && exec ufo-launch -q read path=in.tif ! {chain} ! write filename=out.raw"),
                 read_picture if name == "fft" else read,
                 env=(("UFO_DEVICE_TYPE", "cpu"), ("HOME", "{folder}"))) for name, chain in CHAINS.items()]


SUITE = Suite("ufo", ("libufo-bin", "ufo-filters"), tests)
