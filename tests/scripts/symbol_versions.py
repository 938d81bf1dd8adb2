#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What runs on Debian 12 and Ubuntu 24.04: symbol_versions.py FOLDER… prints what the ELF files there need at most, and fails where a
file needs a newer symbol than those systems have, a library that they lack, or a folder of the machine that it was built on."""
import os
import re
import subprocess
import sys

# The newest symbol versions of each system's libc6, libstdc++6, libgcc-s1, zlib1g and ocl-icd-libopencl1.
SYSTEMS = {
    "Debian 12": {"GLIBC": "2.36", "GLIBCXX": "3.4.30", "CXXABI": "1.3.13", "GCC": "12.0.0", "ZLIB": "1.2.12", "OPENCL": "3.0"},
    "Ubuntu 24.04": {"GLIBC": "2.39", "GLIBCXX": "3.4.33", "CXXABI": "1.3.15", "GCC": "14.0.0", "ZLIB": "1.2.12", "OPENCL": "3.0"},
}
LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libgcc_s.so.1", "libz.so.1", "libzstd.so.1",
             "libOpenCL.so.1", "libdl.so.2", "libpthread.so.0"}


def number(version):
    return tuple(int(part) for part in version.split("."))


def elf_files(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, stdout=subprocess.PIPE, text=True).stdout


def needs(path):
    """Library of symbol versions → newest one needed: {"GLIBC": "2.34", …}."""
    needed = re.split(r"Version needs section", readelf("--version-info", path))[1:]
    newest = {}
    for name in re.findall(r"Name: (\S+)  Flags", "".join(needed)):
        family, _, version = name.rpartition("_")
        if not re.fullmatch(r"[0-9.]+", version):
            family, version = name, "0"
        if family not in newest or number(version) > number(newest[family]):
            newest[family] = version
    return newest


def faults(path, systems, carried=frozenset()):
    """Why the file would not run there, `carried` being libraries that come along."""
    found = []
    for family, version in needs(path).items():
        for system, has in systems.items():
            if family not in has or number(version) > number(has[family]):
                found.append(f"{path}: needs {family} {version}; {system} has {has.get(family, 'none')}")
    dynamic = readelf("--dynamic", path)
    for library in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if library not in LIBRARIES | carried:
            found.append(f"{path}: needs {library}")
    for folder in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        found.append(f"{path}: searches {folder}")
    return found


def check(folders):
    """Faults of all files; also where there is nothing to look at, and where a system without any symbols would do."""
    files = [path for folder in folders for path in elf_files(folder)]
    if not files:
        return [f"no ELF file in {folders}"]
    carried = frozenset(map(os.path.basename, files))
    found = [fault for path in files for fault in faults(path, SYSTEMS, carried)]
    if not any(faults(path, {"nothing": {}}) for path in files):
        found.append("no file needs anything: versions are not seen")
    for path in files:
        print(os.path.basename(path), " ".join(f"{family}_{version}" for family, version in sorted(needs(path).items())))
    return found


if __name__ == "__main__":
    wrong = check(sys.argv[1:])
    print("\n".join(wrong) or "ok")
    sys.exit(1 if wrong else 0)
