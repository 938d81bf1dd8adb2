# SPDX-License-Identifier: Apache-2.0
"""pyopencl: programs that use its array module, and, in full, the tests of its own that python-pyopencl-doc ships."""
import os
import re
import xml.etree.ElementTree

from harness import Suite, Test

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = "/usr/share/doc/python-pyopencl-doc/examples"
OWN = ("test_wrapper", "test_enqueue_copy", "test_array", "test_clmath", "test_clrandom", "test_algorithm", "test_arrays_in_structs")
# The one is as test_bitonic_sort, and its kernels take PoCL minutes; the other gives a thread 50 ms to see an event, which a loaded machine decides.
LEFT_OUT = "not bitonic_argsort and not test_user_event"
# Not "transpose": that is a benchmark of several minutes.
DEMOS = ("demo", "demo_array", "demo_elementwise", "demo_elementwise_complex", "demo_meta_template", "demo-struct-reduce", "narray")
_LINE = re.compile(r"^(\S+): (ok|wrong.*)$", re.MULTILINE)
_DEVICE = re.compile(r"<context factory for <[^>]*>>|<pyopencl\.Platform '[^']*'>")


def read_lines(finished):
    """`name: ok` lines."""
    outcomes = {name: "pass" if said == "ok" else "fail" for name, said in _LINE.findall(finished.output)}
    return outcomes | {"exit": "pass" if finished.status == 0 else "fail"}


def read_junit(finished):
    """pytest's own report. Its names hold the device's and the platform's, which differ."""
    outcomes = {"exit": "pass" if finished.status in (0, 1) else "fail"}
    path = os.path.join(finished.folder, "junit.xml")
    if not os.path.exists(path):
        return outcomes
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        verdicts = {child.tag for child in case}
        name = _DEVICE.sub("device", case.get("name"))
        outcomes[name] = "fail" if verdicts & {"failure", "error"} else "skip" if "skipped" in verdicts else "pass"
    return outcomes


# pyopencl's cache of binaries has PoCL compile every kernel of a program, used or not.
ENVIRONMENT = (("XDG_CACHE_HOME", "{folder}"), ("PYOPENCL_NO_CACHE", "1"), ("PYTHONWARNINGS", "ignore"))


def pytest(name):
    argv = ("/usr/bin/python3", "-B", "-m", "pytest", "-q", "-k", LEFT_OUT, "-p", "no:cacheprovider", "--junit-xml={folder}/junit.xml",
            os.path.join(EXAMPLES, f"{name}.py"))
    return Test(name, argv, read_junit, env=ENVIRONMENT, limit=2400)


def program(path):
    return Test(os.path.splitext(os.path.basename(path))[0], ("/usr/bin/python3", "-B", path), read_lines,
                env=(*ENVIRONMENT, ("PYOPENCL_CTX", "0")))


def tests(quick):
    programs = os.path.join(HERE, "programs")
    result = [program(os.path.join(programs, f"{name}.py")) for name in (("kernels",) if quick else ("kernels", "arrays"))]
    if not quick:
        result += [program(os.path.join(EXAMPLES, f"{name}.py")) for name in DEMOS] + [pytest(name) for name in OWN]
    return result


SUITE = Suite("pyopencl", ("python3-pyopencl", "python3-numpy"), tests, quick=True,
              more_packages=("python-pyopencl-doc", "python3-pytest", "python3-mako"))
