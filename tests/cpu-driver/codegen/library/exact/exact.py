#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a shared object of conversions between all types in all roundings, of stores as half, and of integer functions,
over arrays, and compares it with exact_check's own arithmetic.

    exact.py --clang /usr/lib/llvm-22/bin/clang --skmd-opt PATH --llvm-bin /usr/lib/llvm-22/bin --check PATH [--isa ISA]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
import processor  # noqa: E402

INTEGERS = {"char": "c8", "uchar": "u8", "short": "c16", "ushort": "u16", "int": "c32", "uint": "u32", "long": "c64", "ulong": "u64"}
FLOATS = {"float": "f32", "double": "f64"}
TYPES = {**INTEGERS, **FLOATS}
ROUNDINGS = ["", "_rte", "_rtz", "_rtp", "_rtn"]
UNARY = {"abs", "clz", "ctz", "popcount"}
BINARY = {"abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate"}
TERNARY = {"clamp", "mad_hi", "mad_sat", "bitselect"}


def function(name, result, operands, text):
    """Element by element: the parameters are the arrays of operands and that of results."""
    parameters = "".join(f"global const {type_}* p{index}, " for index, type_ in enumerate(operands))
    values = [f"p{index}[i]" for index in range(len(operands))]
    return (f"void {name}({parameters}global {result}* r, ulong n) "
            f"{{ for (ulong i = 0; i < n; ++i) {text.format(*values)}; }}\n")


def program():
    text = ""
    for source, target in ((a, b) for a in TYPES for b in TYPES):
        for saturation in ("", "_sat") if target in INTEGERS else ("",):
            for rounding in ROUNDINGS:
                text += function(f"convert_{TYPES[source]}_{TYPES[target]}{saturation}{rounding}", target, [source],
                                 f"r[i] = convert_{target}{saturation}{rounding}({{}})")
    for source in FLOATS:
        for rounding in ROUNDINGS:
            text += function(f"half_{FLOATS[source]}{rounding}", "ushort", [source],
                             f"vstore_half{rounding}({{}}, i, (global half*)r)")
    text += function("from_half", "float", ["ushort"], "r[i] = vload_half(i, (global const half*)p0)")
    for type_, short in INTEGERS.items():
        unsigned = "u" + type_.lstrip("u")
        for name in sorted(UNARY | BINARY | TERNARY):
            count = 1 if name in UNARY else 2 if name in BINARY else 3
            result = unsigned if name in ("abs", "abs_diff") else type_
            text += function(f"{name}_{short}", result, [type_] * count, f"r[i] = {name}({', '.join(['{}'] * count)})")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--skmd-opt", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--isa", nargs="*", default=list(processor.ISAS))
    arguments = parser.parse_args()
    isas = [isa for isa in arguments.isa if isa in processor.usable_here()]
    for isa in sorted(set(arguments.isa) - set(isas)):
        print(f"{isa}: left out, this processor has no such instructions", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "exact.cl").write_text(program())
        subprocess.run([arguments.clang, "-cc1", "-triple", "spir64-unknown-unknown", "-O1", "-finclude-default-header",
                        "-fdeclare-opencl-builtins", "-cl-std=CL3.0", "-cl-ext=+all,-cl_khr_fp16", "-emit-llvm", folder / "exact.cl",
                        "-o", folder / "exact.ll"], check=True)
        failed = 0
        for isa in isas:
            linked = subprocess.run([arguments.skmd_opt, "-S", f"--passes=skmd-link-library<{isa}>,always-inline", folder / "exact.ll"],
                                    capture_output=True, text=True, check=True)
            if linked.stderr:
                sys.exit(linked.stderr)
            text = re.sub(r"^target .*$", "", linked.stdout, flags=re.M).replace("spir_func ", "")
            (folder / "linked.ll").write_text('target triple = "x86_64-unknown-linux-gnu"\n' + text)
            subprocess.run([f"{arguments.llvm_bin}/llc", "-O1", "-filetype=obj", "-relocation-model=pic", folder / "linked.ll", "-o",
                            folder / "exact.o"], check=True)
            subprocess.run([f"{arguments.llvm_bin}/ld.lld", "-shared", "--no-undefined", folder / "exact.o", "-o", folder / f"{isa}.so"],
                           check=True)
            print(f"{isa}:", flush=True)
            failed += subprocess.run([arguments.check, folder / f"{isa}.so"], check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
