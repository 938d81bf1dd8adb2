# SPDX-License-Identifier: Apache-2.0
"""clFFT's client, which transforms a known signal and checks the result: radices 2, 3, 5, 7, 11, 13 and their mixtures, one to
three dimensions, batches, both precisions, in and out of place, both directions, all five layouts."""
from harness import Suite, Test

INTERLEAVED, PLANAR, HERMITIAN, HERMITIAN_PLANAR, REAL = "12345"

# PoCL compiles for seconds before each transform, so each radix and each way to put radices together occurs once.
# name, options; each runs in single and in double precision.
SHAPES = {
    "1024x16": "-x 1024 -b 16", "65536": "-x 65536", "243x32": "-x 243 -b 32", "625x16": "-x 625 -b 16", "343x16": "-x 343 -b 16",
    "121x16": "-x 121 -b 16", "169x16": "-x 169 -b 16", "2310x4": "-x 2310 -b 4", "60x42x8": "-x 60 -y 42 -b 8", "256x512": "-x 256 -y 512",
    "16x16x16": "-x 16 -y 16 -z 16", "30x20x14x2": "-x 30 -y 20 -z 14 -b 2",
    "strided": "-x 64 -y 32 --isX 2 --isY 160 --iD 5200 --osX 2 --osY 160 --oD 5200 -b 2",
}
FORMS = {
    "": "", "inverse": "--inv", "out-of-place": "-o", "inverse-out-of-place": "--inv -o",
    "planar": f"--inLayout {PLANAR} --outLayout {PLANAR}", "planar-to-interleaved": f"-o --inLayout {PLANAR} --outLayout {INTERLEAVED}",
    "real": f"-o --inLayout {REAL} --outLayout {HERMITIAN}", "real-planar": f"-o --inLayout {REAL} --outLayout {HERMITIAN_PLANAR}",
    "real-in-place": f"--inLayout {REAL} --outLayout {HERMITIAN}",
    "hermitian": f"--inv -o --inLayout {HERMITIAN} --outLayout {REAL}", "hermitian-planar": f"--inv -o --inLayout {HERMITIAN_PLANAR} --outLayout {REAL}",
}
FORM_SHAPE = "60x42x8"  # radices 2, 3, 5 and 7, two dimensions
DOUBLE_FORMS = ("", "inverse", "real", "hermitian")


def read(finished):
    if "*****PASS*****" in finished.output:
        return {"result": "pass" if finished.status == 0 else "fail"}
    return {"result": "fail"}


def tests(quick):
    result = []
    for shape, sizes in SHAPES.items():
        for form, options in FORMS.items():
            if form and shape != FORM_SHAPE:
                continue
            for precision in ("single", "double") if form in DOUBLE_FORMS else ("single",):
                argv = ["clFFT-client", *sizes.split(), *options.split(), *(["--double"] if precision == "double" else [])]
                result.append(Test(" ".join(filter(None, (shape, form, precision))), tuple(argv), read))
    return result


SUITE = Suite("clfft", ("clfft-client",), tests)
