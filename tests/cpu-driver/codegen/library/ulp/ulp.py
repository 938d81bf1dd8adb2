#!/usr/bin/python3
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
BINARY = "atan2 atan2pi fdim fmax fmin fmod hypot maxmag minmag pow powr remainder".split()
WITH_INT = "ldexp pown rootn".split()
SHORT = "cos exp exp10 exp2 log log10 log2 sin".split()  # inlined
FUSING = ["cos", "sin"]  # of these, those of float are not where fma is no instruction
# With a second result through a pointer, of the value's type or int: NAME_second is that.
SECOND = {"fract": "v", "frexp": "i", "modf": "v", "remquo": "i", "sincos": "v"}
SCALAR = ["ldexp", "lgamma", "tgamma"]
INLINED = "ceil fabs floor logb rint round rsqrt sqrt trunc".split()
SCALARS = {"f": "float", "d": "double"}
WIDEST = {"sse": 4, "avx2": 8, "avx512": 16}  # lanes of float in a register


def widths(isa, letter):
    """Of double all of OpenCL's: what is not one lane, nor fits into a register, is taken apart."""
    return [1, 2, 3, 4, 8, 16] if letter == "d" else [lanes for lanes in (1, 2, 4, 8, 16) if lanes <= WIDEST[isa]]


def mangled(name, operands, letter, lanes):
    vector = f"Dv{lanes}_" if lanes > 1 else ""
    text = f"_Z{len(name)}{name}{vector}{letter}"
    if operands == "vi":
        text += f"{vector}i"
    if operands == "vv":
        text += "S_" if lanes > 1 else letter
    return text


def form(name, operands, letter, lanes):
    """A loop over n elements, a multiple of 48."""
    scalar = SCALARS[letter]
    type_ = f"<{lanes} x {scalar}>" if lanes > 1 else scalar
    second, scalar_second = (f"<{lanes} x i32>" if lanes > 1 else "i32", "i32") if operands == "vi" else (type_, scalar)
    function = mangled(name, operands, letter, lanes)
    more, more_type = (f", {second} %b", f", {second}") if len(operands) == 2 else ("", "")
    if name == "fma":
        function, more, more_type = f"llvm.fma.{f'v{lanes}' if lanes > 1 else ''}f{32 if letter == 'f' else 64}", more + f", {type_} %a", more_type + f", {type_}"
    return loop(name, letter, lanes, f"  %c = call {type_} @{function}({type_} %a{more})\n", second, scalar_second), \
        f"declare {type_} @{function}({type_}{more_type})\n"


def second_form(name, operands, kind, letter, lanes):
    """Likewise; the loop gives the second result."""
    scalar = SCALARS[letter]
    vector = lambda element: f"<{lanes} x {element}>" if lanes > 1 else element
    type_, other = vector(scalar), vector("i32" if kind == "i" else scalar)
    function = mangled(name, operands, letter, lanes) + "P" + (f"Dv{lanes}_" if lanes > 1 else "") + ("i" if kind == "i" else letter)
    if lanes > 1 and kind == "v":
        function = mangled(name, operands, letter, lanes) + "PS_"
    call = f"call {type_} @{function}({type_} %a{f', {type_} %b' if operands == 'vv' else ''}, ptr %place)"
    convert = f"  %c = sitofp {other} %o to {type_}\n" if kind == "i" else f"  %c = bitcast {other} %o to {type_}\n"
    body = f"  %f = {call}\n  %o = load {other}, ptr %place\n{convert}"
    forms_ = loop(name + "_second", letter, lanes, body, type_, scalar, f"  %place = alloca {other}\n")
    forms_ += loop(name, letter, lanes, f"  %c = {call}\n", type_, scalar, f"  %place = alloca {other}\n")
    return forms_, f"declare {type_} @{function}({type_}{f', {type_}' if operands == 'vv' else ''}, ptr)\n"


def normalize_form(letter):
    """The first component of (x, y, 0, …), from vectors of 2, 3 and 4."""
    text = ""
    for lanes in (2, 3, 4):
        type_ = f"<{lanes} x {SCALARS[letter]}>"
        zero, function = "zeroinitializer", mangled("normalize", "v", letter, lanes)
        body = f"""  %v0 = insertelement {type_} {zero}, {SCALARS[letter]} %a, i32 0
  %v1 = insertelement {type_} %v0, {SCALARS[letter]} %b, i32 {lanes - 1}
  %unit = call {type_} @{function}({type_} %v1)
  %c = extractelement {type_} %unit, i32 0
"""
        made = loop("normalize", letter, 1, body, SCALARS[letter], SCALARS[letter])
        text += made.replace(f"@normalize_{letter}_1(", f"@normalize_{letter}_{lanes}(") + f"declare {type_} @{function}({type_})\n"
    return text


def loop(name, letter, lanes, body, second, scalar_second, before=""):
    """NAME_LETTER_LANES: `body` computes %c of %a and %b."""
    scalar = SCALARS[letter]
    type_ = f"<{lanes} x {scalar}>" if lanes > 1 else scalar
    return f"""
define void @{name}_{letter}_{lanes}(ptr %x, ptr %y, ptr %r, i64 %n) {{
entry:
{before}  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %px = getelementptr {scalar}, ptr %x, i64 %i
  %py = getelementptr {scalar_second}, ptr %y, i64 %i
  %pr = getelementptr {scalar}, ptr %r, i64 %i
  %a = load {type_}, ptr %px, align 4
  %b = load {second}, ptr %py, align 4
{body}  store {type_} %c, ptr %pr, align 4
  %next = add i64 %i, {lanes}
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
"""


def forms(isa):
    text = 'target triple = "x86_64-unknown-linux-gnu"\n'
    for names, operands in ((UNARY, "v"), (BINARY + ["fma"], "vv"), (WITH_INT, "vi")):
        for name in names:
            for letter in SCALARS:
                for lanes in widths(isa, letter):
                    text += "".join(form(name, operands, letter, lanes))
    text += normalize_form("f") + normalize_form("d")
    for name, kind in SECOND.items():
        for letter in SCALARS:
            for lanes in widths(isa, letter):
                text += "".join(second_form(name, "vv" if name == "remquo" else "v", kind, letter, lanes))
    return text


def build(isa, arguments, folder):
    source, linked, made = folder / f"{isa}.ll", folder / f"{isa}.linked.ll", folder / f"{isa}.o"
    source.write_text(forms(isa))
    with linked.open("w") as output:
        done = subprocess.run([arguments.skmd_opt, "-S", f"--passes=skmd-link-library<{isa}>,always-inline", source],
                              stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"skmd-opt: {done.stderr}")
    text = linked.read_text()
    for name in UNARY:
        for letter, lanes in (("f", 4), ("d", 2)):
            inlined = INLINED + [name for name in SHORT if letter == "d" or isa != "sse" or name not in FUSING]
            call = f"call <{lanes} x {SCALARS[letter]}> @{mangled(name, 'v', letter, lanes)}("
            if name not in SCALAR and call not in text and name not in inlined:
                sys.exit(f"{call} was taken apart: its vector form would not be tested")
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
