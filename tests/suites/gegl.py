# SPDX-License-Identifier: Apache-2.0
"""GEGL's operations that have OpenCL kernels, in chains on a generated picture: against the same without OpenCL. Not byte by
byte: on PoCL alone too they change from run to run. Not here: operations that make a picture out of nothing, which have no end; c2g, whose samples are random;
and contrast-curve, which spoils the heap behind other operations on PoCL too."""
import os

from harness import Suite, Test

HERE = os.path.dirname(os.path.abspath(__file__))
# name: operations. A bound of 4 of 255 on the mean: at edges and thresholds pixels may fall to the other side, and oilify counts otherwise.
CHAINS = {
    "colours": "gegl:brightness-contrast contrast=1.3 gegl:color-temperature intended-temperature=4000 gegl:hue-chroma hue=40 chroma=5 lightness=3",
    "exposure": "gegl:exposure exposure=0.7 black-level=0.02 gegl:levels in-low=0.1 in-high=0.9",
    "inverse": "gegl:invert-linear gegl:value-invert gegl:mono-mixer red=0.3 green=0.5 blue=0.2",
    "stretch": "gegl:stretch-contrast gegl:shadows-highlights shadows=40 highlights=-30",
    "steps": "gegl:posterize levels=5 gegl:pixelize size-x=7 size-y=5",
    "threshold": "gegl:threshold value=0.4",
    "maps": "gegl:alien-map gegl:color-exchange red-threshold=0.3 gegl:opacity value=0.6",
    "blurs": "gegl:box-blur radius=5 gegl:motion-blur-linear length=9 angle=30",
    "smoothing": "gegl:noise-reduction iterations=2 gegl:snn-mean radius=3 gegl:bilateral-filter blur-radius=4",
    "oil": "gegl:oilify mask-radius=3",
    "edges": "gegl:edge-laplace gegl:vignette",
    "noise": "gegl:noise-hsv seed=3 gegl:noise-hurl seed=4 gegl:texturize-canvas",
    "video": "gegl:video-degradation gegl:red-eye-removal",
}


def samples(path):
    """A binary PNM picture's samples, from 0 to 1."""
    with open(path, "rb") as file:
        data = file.read()
    start, words = 0, []
    while len(words) < 4:
        end = next(at for at in range(start, len(data)) if data[at:at + 1].isspace())
        word, start = data[start:end], end + 1
        if word.startswith(b"#"):
            start = data.index(b"\n", end) + 1
        elif word:
            words.append(word)
    most = int(words[3])
    values = data[start:]
    if most > 255:
        values = [values[at] * 256 + values[at + 1] for at in range(0, len(values), 2)]
    return [value / most for value in values]


def read(finished):
    outcomes = {"runs": "pass" if finished.status == 0 else "fail"}
    try:
        here, there = (samples(os.path.join(finished.folder, name)) for name in ("with.ppm", "without.ppm"))
    except (FileNotFoundError, IndexError):
        return outcomes | {"twin": "fail"}
    apart = sum(abs(x - y) for x, y in zip(here, there)) / max(1, len(here))
    return outcomes | {"twin": "pass" if len(here) == len(there) > 0 and apart < 4 / 255 else "fail"}


def tests(quick):
    make = f"/usr/bin/python3 -B {os.path.join(HERE, 'programs', 'picture.py')} in.png"
    result = []
    for name, chain in CHAINS.items():
        # GEGL takes no CPU device unless it is told to, and reports its leaks: they are not ours.
        run = f"{make} && GEGL_USE_OPENCL=cpu gegl in.png -o with.ppm -- {chain} && GEGL_USE_OPENCL=no gegl in.png -o without.ppm -- {chain}"
        result.append(Test(name, ("/bin/sh", "-c", run), read, env=(("HOME", "{folder}"), ("XDG_CACHE_HOME", "{folder}"))))
    return result


SUITE = Suite("gegl", ("gegl",), tests)
