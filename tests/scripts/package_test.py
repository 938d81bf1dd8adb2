#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package, looked into without installing it: package_test.py SOURCE BUILD. It is packed uncompressed, which is quick."""
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile

import symbol_versions

PRIVATE = "usr/lib/x86_64-linux-gnu/skmd"
PACKAGE = "skmd-opencl-icd"


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"FAILED ({done.returncode}): {' '.join(command)}\n{done.stdout}")
    return done.stdout


def pack(build, folder):
    run("cpack", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", "-B", folder, cwd=build)
    package, = glob.glob(f"{folder}/*.deb")
    run("dpkg-deb", "-R", package, f"{folder}/tree")
    return package, f"{folder}/tree"


def fields(package):
    text = run("dpkg-deb", "-f", package)
    return dict(re.findall(r"^([A-Z][\w-]*): (.*)$", text, re.M))


ENGINE = ("lib/skmd/libpocl-remote.so", "libexec/skmd/pocld")


def expected_files(version, source, build):
    engine = {f"{PRIVATE}/{name}" for name in ENGINE if os.path.exists(f"{build}/{name}")}
    return engine | {f"{PRIVATE}/share/skmd/profiles/{os.path.basename(name)}" for name in glob.glob(f"{source}/profiles/*.jsonl")} | {
        "etc/OpenCL/vendors/skmd.icd",
        "usr/bin/skmd-ctl", f"{PRIVATE}/bin/skmd-ctl", "usr/share/man/man1/skmd-ctl.1.gz",
        "usr/bin/skmd-resume", f"{PRIVATE}/bin/skmd-resume", "usr/share/man/man1/skmd-resume.1.gz",
        "usr/bin/skmd-info", "usr/bin/skmd-profile", "usr/bin/skmd-run", "usr/bin/skmd-serve",
        f"{PRIVATE}/bin/skmd-info", f"{PRIVATE}/bin/skmd-profile", f"{PRIVATE}/bin/skmd-run", f"{PRIVATE}/bin/skmd-serve",
        "usr/lib/systemd/system/skmd-serve.service",
        f"{PRIVATE}/lib/libskmd.so", f"{PRIVATE}/lib/libskmd.so.0", f"{PRIVATE}/lib/libskmd.so.{version}",
        f"{PRIVATE}/libexec/skmd/skmd-compile", f"{PRIVATE}/libexec/skmd/skmd-ask", f"{PRIVATE}/libexec/skmd/draw_prediction.py",
        f"usr/share/doc/{PACKAGE}/changelog.gz", f"usr/share/doc/{PACKAGE}/copyright", f"usr/share/lintian/overrides/{PACKAGE}",
        "usr/share/man/man1/skmd-info.1.gz", "usr/share/man/man1/skmd-profile.1.gz", "usr/share/man/man1/skmd-run.1.gz",
        "usr/share/man/man1/skmd-serve.1.gz",
    }


def files_of(tree):
    found = set()
    for place, folders, names in os.walk(tree):
        if os.path.basename(place) == "DEBIAN":
            continue
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        found |= {os.path.relpath(os.path.join(place, name), tree) for name in names + links if place != f"{tree}/DEBIAN"}
    return found


def read(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")) as file:
        return file.read()


def check_fields(package, version):
    has = fields(package)
    depends = [part.strip() for part in has["Depends"].split(",")]
    assert has["Package"] == PACKAGE and has["Version"] == version and has["Architecture"] == "amd64", has
    assert has["Provides"] == "opencl-icd" and has["Recommends"] == "pocl-opencl-icd" and has["Section"] == "libs", has
    assert not {"Conflicts", "Breaks", "Replaces", "Homepage"} & set(has), has
    assert "ocl-icd-libopencl1 | libopencl1" in depends, depends
    # By dpkg-shlibdeps, from what the files need.
    for library in ("libc6", "libstdc++6", "libgcc-s1", "zlib1g", "libzstd1"):
        assert any(re.fullmatch(rf"{re.escape(library)} \(>= \S+\)", part) for part in depends), (library, depends)
    assert "invalid" in has["Maintainer"], has


def check_control_files(tree):
    assert set(os.listdir(f"{tree}/DEBIAN")) == {"control", "conffiles", "md5sums"}, os.listdir(f"{tree}/DEBIAN")
    assert read(f"{tree}/DEBIAN/conffiles") == "/etc/OpenCL/vendors/skmd.icd\n"


def check_contents(source, build, tree, version):
    expected = expected_files(version, source, build)
    assert files_of(tree) == expected, files_of(tree) ^ expected
    library = read(f"{tree}/etc/OpenCL/vendors/skmd.icd").strip()
    assert os.path.basename(library) == "libskmd.so.0", "a path that changes with every version asks users at every upgrade"
    assert os.path.realpath(tree + library) == os.path.realpath(f"{tree}/{PRIVATE}/lib/libskmd.so.{version}"), library
    for command in ("skmd-run", "skmd-info", "skmd-profile", "skmd-resume", "skmd-serve", "skmd-ctl"):
        assert os.path.realpath(f"{tree}/usr/bin/{command}") == os.path.realpath(f"{tree}/{PRIVATE}/bin/{command}")
    for name in files_of(tree):
        path = f"{tree}/{name}"
        mode = os.stat(path).st_mode & 0o7777
        program = "/bin/" in name or "/libexec/" in name
        assert mode == (0o755 if program else 0o644), (name, oct(mode))


def check_documents(source, build, tree, version):
    changelog = read(f"{tree}/usr/share/doc/{PACKAGE}/changelog.gz")
    assert changelog.startswith(f"{PACKAGE} ({version}) "), "packaging/changelog does not begin with this version"
    assert read(f"{source}/packaging/copyright").startswith("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/")
    # A manual page has every option that its command tells of.
    for command in ("skmd-run", "skmd-info", "skmd-profile", "skmd-resume", "skmd-serve", "skmd-ctl"):
        page = read(f"{tree}/usr/share/man/man1/{command}.1.gz").replace("\\-", "-")
        options = set(re.findall(r"--[a-z-]+[a-z]", run(f"{build}/bin/{command}", "--help")))
        assert options and options <= set(re.findall(r"--[a-z-]+[a-z]", page)), (command, options)


def check_no_paths_of_the_build(source, build, tree):
    for name in files_of(tree):
        with open(f"{tree}/{name}", "rb") as file:
            data = file.read()
        for folder in (source, build):
            assert folder.encode() + b"/" not in data, f"{name} has the path {folder}"


def main():
    source, build = (os.path.realpath(path) for path in sys.argv[1:3])
    version, = re.findall(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", read(f"{build}/CMakeCache.txt"), re.M)
    with tempfile.TemporaryDirectory() as folder:
        package, tree = pack(build, folder)
        check_fields(package, version)
        check_control_files(tree)
        check_contents(source, build, tree, version)
        check_documents(source, build, tree, version)
        check_no_paths_of_the_build(source, build, tree)
        wrong = symbol_versions.check([tree])
    print("\n".join(wrong) or "ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
