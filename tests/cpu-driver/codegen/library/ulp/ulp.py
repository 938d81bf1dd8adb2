#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a shared object of each instruction set that this machine has, with every math function over arrays, one lane
and vectors at a time, and compares them with MPFR by ulp_check.

    ulp.py --skmd-opt PATH --llvm-bin /usr/lib/llvm-22/bin --check PATH [--samples N] [--list] [--keep FOLDER]
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))
import processor  # noqa: E402

UNARY = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs
floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc""".split()
BINARY = "atan2 atan2pi fdim fmax fmin fmod hypot pow powr remainder".split()
WITH_INT = "ldexp pown rootn".split()
SHORT = "cos exp exp10 exp2 log log10 log2 sin".split()  # of float, inlined
FUSING = ["cos", "sin"]  # of these, not where fma is no instruction
SCALAR = ["ldexp", "lgamma", "tgamma"]
INLINED = "ceil fabs floor logb rint round rsqrt sqrt trunc".split()
WIDEST = {"sse": 4, "avx2": 8, "avx512": 16}


def mangled(name, operands, letter, lanes):
    vector = f"Dv{lanes}_" if lanes > 1 else ""
    text = f"_Z{len(name)}{name}{vector}{letter}"
    if operands == "vi":
        text += f"{vector}i"
    if operands == "vv":
        text += "S_" if lanes > 1 else letter
    return text


def form(name, operands, letter, lanes):
    """A loop over n elements, a multiple of 16."""
    scalar = {"f": "float", "d": "double"}[letter]
    type_ = f"<{lanes} x {scalar}>" if lanes > 1 else scalar
    second, scalar_second = (f"<{lanes} x i32>" if lanes > 1 else "i32", "i32") if operands == "vi" else (type_, scalar)
    function = mangled(name, operands, letter, lanes)
    more, more_type = (f", {second} %b", f", {second}") if len(operands) == 2 else ("", "")
    return f"""
define void @{name}_{letter}_{lanes}(ptr %x, ptr %y, ptr %r, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr {scalar}, ptr %x, i64 %i
  %py = getelementptr {scalar_second}, ptr %y, i64 %i
  %pr = getelementptr {scalar}, ptr %r, i64 %i
  %a = load {type_}, ptr %px, align 4
  %b = load {second}, ptr %py, align 4
  %c = call {type_} @{function}({type_} %a{more})
  store {type_} %c, ptr %pr, align 4
  %next = add i64 %i, {lanes}
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
""", f"declare {type_} @{function}({type_}{more_type})\n"


def forms(isa):
    text = 'target triple = "x86_64-unknown-linux-gnu"\n'
    for names, operands in ((UNARY, "v"), (BINARY, "vv"), (WITH_INT, "vi")):
        for name in names:
            for letter, widest in (("f", WIDEST[isa]), ("d", WIDEST[isa] // 2)):
                lanes = 1
                while lanes <= (1 if name in SCALAR else widest):
                    text += "".join(form(name, operands, letter, lanes))
                    lanes *= 2
    return text


def build(isa, arguments, folder):
    source, linked, made = folder / f"{isa}.ll", folder / f"{isa}.linked.ll", folder / f"{isa}.o"
    source.write_text(forms(isa))
    with linked.open("w") as output:
        done = subprocess.run([arguments.skmd_opt, "-S", f"--passes=skmd-link-library<{isa}>,always-inline", source],
                              stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"skmd-opt: {done.stderr}")
    inlined = INLINED + [name for name in SHORT if isa != "sse" or name not in FUSING]
    for name in UNARY:
        if name not in SCALAR and f"call <4 x float> @{mangled(name, 'v', 'f', 4)}(" not in linked.read_text() and name not in inlined:
            sys.exit(f"{name} of vectors was taken apart: its vector form would not be tested")
    subprocess.run([f"{arguments.llvm_bin}/llc", "-O1", "-filetype=obj", "-relocation-model=pic", linked, "-o", made], check=True)
    library = folder / f"{isa}.so"
    subprocess.run([f"{arguments.llvm_bin}/ld.lld", "-shared", "--no-undefined", made, "-o", library], check=True)
    return library


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skmd-opt", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--samples", default="4000")
    parser.add_argument("--isa", nargs="*", default=list(WIDEST))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    isas = [isa for isa in arguments.isa if isa in processor.usable_here()]
    for isa in sorted(set(arguments.isa) - set(isas)):
        print(f"{isa}: left out, this processor has no such instructions", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        libraries = [build(isa, arguments, folder) for isa in isas]
        if not libraries:
            sys.exit("no instruction set to test")
        command = [arguments.check, "--samples", arguments.samples, *(["--list"] if arguments.list else []), *libraries]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
