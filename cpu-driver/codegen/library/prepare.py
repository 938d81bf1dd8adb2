#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the bitcode of OpenCL's builtins that skmd-compile carries, out of libclc's for NVPTX.

That one is the only of Debian's libclc builds that is plain LLVM IR: its intrinsics mean the same on every target. What
is taken out or changed here is what is NVPTX's: address spaces, triple, features; and what the code generator does
itself: ids, barriers, images, atomics, plain loads and stores. Functions of ours, in OpenCL C, replace libclc's.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile

# Expanded by the code generator: see expand.h, and the pipeline's own.
NOT_OURS = re.compile(
    r"_Z\d+(?:get_|async_|wait_group|prefetch|barrier|work_group|sub_group|atomic|atom_|vload\d|vloadm|vstore\d|vstorea?m"
    r"|mem_fence|read_mem_fence|write_mem_fence|read_image|write_image|printf|shuffle2?Dv\d+_DhDv|__clc_atomic"
    r"|__clc_mem_fence|__clc_work_group|__clc_get_)")
GENERIC_FEATURES = re.compile(r' "(?:target-features|target-cpu|frame-pointer|stack-protector-buffer-size|no-trapping-math'
                              r'|no-builtins|uniform-work-group-size)"(?:="[^"]*")?')
ATTRIBUTES = re.compile(r"\b(?:convergent|noinline|optnone|mustprogress|alwaysinline) ?")
# Functions of double whose polynomials need no fused operation: what no processor lacks is a product and a sum.
UNFUSED = re.compile(r"_Z\d+(?:base_)?(?:a?(?:cos|sin|tan)pi|acos|asin|atan|lgamma|lgamma_r)(?:d|Dv\d+_d)")
DEFINED = re.compile(r"^define .*?@\"?([\w.$]+)\"?\(")


def portable(text):
    """SPIR's address spaces and mangling; no triple, no features, no flags of the module."""
    kept, skipping = [], False
    for line in text.splitlines():
        if skipping:
            skipping = line != "}"
            continue
        if line.startswith("define "):
            if NOT_OURS.match(DEFINED.match(line).group(1)):
                skipping = True
                continue
        elif line.startswith(("target ", "source_filename", "!llvm.", "!opencl.", "; ")):
            continue
        elif line.startswith("attributes "):
            line = ATTRIBUTES.sub("", GENERIC_FEATURES.sub("", line))
        kept.append(line)
    text = "\n".join(kept) + "\n"
    text = re.sub(r"\baddrspace\(4\)", "addrspace(2)", text).replace("PU3AS4", "PU3AS2")
    # What a lane without a work-item passes is anything.
    return re.sub(r"\b(?:noundef|dso_local|convergent|spir_func) ", "", text)


def rename_bases(base, own):
    """libclc's functions that `own` calls as base_NAME get that name, and are inlined there."""
    for called in set(re.findall(r"^declare .*@(_Z\d+base_\w+)\(", own, re.M)):
        digits = re.match(r"_Z(\d+)", called).group(1)
        name, operands = called[2 + len(digits):][:int(digits)], called[2 + len(digits) + int(digits):]
        plain = f"_Z{len(name) - 5}{name[5:]}{operands}"
        base, count = re.subn(rf"@{plain}\b", f"@{called}", base)
        assert count, plain
    return re.sub(r"^define (.*@_Z\d+base_\w+\(.*?)( #\d+ )", r"define \1 alwaysinline\2", base, flags=re.M)


def unfused(text):
    """fma as the intrinsic that is a product and a sum where the processor has no better, in UNFUSED."""
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("define "):
            inside = UNFUSED.match(DEFINED.match(line).group(1)) is not None
        kept.append(re.sub(r"@llvm\.fma\.(v\d+)?f64\(", r"@llvm.fmuladd.\1f64(", line) if inside else line)
    return "\n".join(kept) + "\n"


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True, help="LLVM's folder of programs")
    parser.add_argument("--libclc", type=pathlib.Path, required=True, help="nvptx64--.bc")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("own", nargs="*", type=pathlib.Path, help="OpenCL C of functions that replace libclc's")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        run(arguments.tools / "llvm-dis", arguments.libclc, "-o", scratch / "libclc.ll")
        base = portable((scratch / "libclc.ll").read_text())
        replacements, texts = [], []
        for source in arguments.own:
            made = scratch / (source.stem + ".ll")
            # SPIR passes vectors as they are, but has no __int128.
            triple = "x86_64-unknown-linux-gnu" if "__int128" in source.read_text() else "spir64-unknown-unknown"
            run(arguments.tools / "clang", "-cc1", "-triple", triple, "-O2", "-cl-std=CL1.2", "-x", "cl",
                "-finclude-default-header",
                "-internal-isystem", arguments.tools.parent / "lib/clang/22/include", "-emit-llvm", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-cl-ext=+cl_khr_fp64,+cl_khr_fp16",
                "-o", made, source)
            text = portable(made.read_text())
            made.write_text(text)
            texts.append(text)
            replacements += ["--override", made]
        base = rename_bases(base, "\n".join(texts))
        (scratch / "base.ll").write_text(unfused(base))
        run(arguments.tools / "llvm-link", scratch / "base.ll", *replacements, "-o", scratch / "linked.bc")
        run(arguments.tools / "opt", "--passes=always-inline", scratch / "linked.bc", "-o", scratch / "inlined.bc")
        run(arguments.tools / "llvm-extract", "--delete", "--rfunc=^_Z[0-9]+base_", scratch / "inlined.bc", "-o", scratch / "lean.bc")
        run(arguments.tools / "opt", "--passes=strip-dead-prototypes,globaldce,verify", scratch / "lean.bc", "-o",
            arguments.output)


if __name__ == "__main__":
    main()
