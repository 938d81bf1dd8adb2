#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Calls each overload of each builtin of OpenCL C 1.2, and those that 3.0 demands, and asserts that the code generator's
library room leaves no call of a mangled function behind but of what the pipeline defines (images, ids, barriers).

    every_builtin.py --clang /usr/lib/llvm-22/bin/clang --skmd-opt build/tests/cpu-driver/codegen/skmd-opt [FAMILY...]
"""
import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTHS = ["", "2", "3", "4", "8", "16"]
INTEGERS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
FLOATS = ["float", "double"]
SPACES = ["global", "local", "private", "generic"]
UNARY = """acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 exp10 expm1 fabs
floor lgamma log log2 log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc degrees radians sign
normalize""".split()
LOOSE = "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan".split()
BINARY = "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder min max step".split()
RELATIONS = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered".split()
TESTS = "isfinite isinf isnan isnormal signbit".split()
ROUNDINGS = ["", "_rte", "_rtz", "_rtp", "_rtn"]


class Program:
    """Statements of one kernel each, so that a failure names its call."""

    def __init__(self):
        self.kernels = []

    def add(self, result, call, *operands, before="", after=""):
        parameters = [f"global {type_}* p{i}" for i, type_ in enumerate(operands)]
        values = [f"p{i}[at]" for i in range(len(operands))]
        text = call.format(*values)
        store = "r[at] = " if result != "void" else ""
        parameters.append(f"global {result if result != 'void' else 'int'}* r")
        parameters += ["ulong at", "local void* lraw", "constant void* craw", "global void* graw"]
        self.kernels.append(f"kernel void k{len(self.kernels)}({', '.join(parameters)}) {{ {before} {store}{text}; {after} }}")

    def text(self):
        enable = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        return enable + "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n" + "\n".join(self.kernels) + "\n"


def each_float():
    for base, width in itertools.product(FLOATS, WIDTHS):
        yield base, width, base + width, ("int" if base == "float" or not width else "long") + width


def math(program):
    for base, width, type_, _ in each_float():
        for name in UNARY:
            if name != "normalize" or width in WIDTHS[:4]:
                program.add(type_, f"{name}({{}})", type_)
        for name in BINARY:
            program.add(type_, f"{name}({{}}, {{}})", type_, type_)
        for name in ("fma", "mad", "clamp", "mix", "smoothstep"):
            program.add(type_, f"{name}({{}}, {{}}, {{}})", type_, type_, type_)
        for name in ("ldexp", "pown", "rootn"):
            program.add(type_, f"{name}({{}}, {{}})", type_, "int" + width)
        program.add("int" + width, "ilogb({})", type_)
        program.add(type_, "nan({})", ("uint" if base == "float" else "ulong") + width)
        if width:
            for name in ("fmax", "fmin", "min", "max"):
                program.add(type_, f"{name}({{}}, {{}})", type_, base)
            program.add(type_, "ldexp({}, {})", type_, "int")
            program.add(type_, "clamp({}, {}, {})", type_, base, base)
            program.add(type_, "mix({}, {}, {})", type_, type_, base)
            program.add(type_, "step({}, {})", base, type_)
            program.add(type_, "smoothstep({}, {}, {})", base, base, type_)
    for width in WIDTHS:
        for prefix, name in itertools.product(("half_", "native_"), LOOSE):
            program.add("float" + width, f"{prefix}{name}({{}})", "float" + width)
        for prefix, name in itertools.product(("half_", "native_"), ("divide", "powr")):
            program.add("float" + width, f"{prefix}{name}({{}}, {{}})", "float" + width, "float" + width)


def pointers(program):
    """Functions with a second result."""
    for space, (base, width, type_, _) in itertools.product(SPACES, each_float()):
        for name, result in (("fract", type_), ("modf", type_), ("sincos", type_), ("frexp", "int" + width),
                             ("lgamma_r", "int" + width)):
            declare, place = pointer(space, result)
            program.add(type_, f"{name}({{}}, {place})", type_, before=declare)
        declare, place = pointer(space, "int" + width)
        program.add(type_, f"remquo({{}}, {{}}, {place})", type_, type_, before=declare)


def pointer(space, type_):
    if space == "private":
        return f"private {type_} place[16]; place[0] = ({type_})0; private {type_}* to = place;", "to"
    raw = {"global": "graw", "local": "lraw", "constant": "craw", "generic": "(at ? (generic void*)graw : (generic void*)lraw)"}
    const = "const " if space == "constant" else ""
    return f"{space if space != 'generic' else ''} {const}{type_}* to = ({space if space != 'generic' else 'generic'} {const}{type_}*){raw[space]};", "to"


def geometric(program):
    for base in FLOATS:
        for width in WIDTHS[:4]:
            type_ = base + width
            for name in ("dot", "distance"):
                program.add(base, f"{name}({{}}, {{}})", type_, type_)
            program.add(base, "length({})", type_)
            if base == "float":
                program.add(base, "fast_length({})", type_)
                program.add(base, "fast_distance({}, {})", type_, type_)
                program.add(type_, "fast_normalize({})", type_)
        for width in ("3", "4"):
            program.add(base + width, "cross({}, {})", base + width, base + width)


def relational(program):
    for base, width, type_, truth in each_float():
        for name in RELATIONS:
            program.add(truth, f"{name}({{}}, {{}})", type_, type_)
        for name in TESTS:
            program.add(truth, f"{name}({{}})", type_)
        program.add(type_, "bitselect({}, {}, {})", type_, type_, type_)
        for chooser in ("int", "uint") if base == "float" else ("long", "ulong"):
            program.add(type_, "select({}, {}, {})", type_, type_, chooser + width)
    for base, width in itertools.product(INTEGERS, WIDTHS):
        type_ = base + width
        if not base.startswith("u"):
            program.add("int", "any({})", type_)
            program.add("int", "all({})", type_)
        program.add(type_, "bitselect({}, {}, {})", type_, type_, type_)
        for chooser in (base.lstrip("u"), "u" + base.lstrip("u")):
            program.add(type_, "select({}, {}, {})", type_, type_, chooser + width)


def integer(program):
    wider = {"char": "short", "uchar": "ushort", "short": "int", "ushort": "uint", "int": "long", "uint": "ulong"}
    for base, width in itertools.product(INTEGERS, WIDTHS):
        type_ = base + width
        unsigned = "u" + base.lstrip("u") + width
        for name, result in (("abs", unsigned), ("clz", type_), ("ctz", type_), ("popcount", type_)):
            program.add(result, f"{name}({{}})", type_)
        for name, result in (("abs_diff", unsigned), ("add_sat", type_), ("hadd", type_), ("rhadd", type_), ("max", type_),
                             ("min", type_), ("mul_hi", type_), ("rotate", type_), ("sub_sat", type_)):
            program.add(result, f"{name}({{}}, {{}})", type_, type_)
        for name in ("clamp", "mad_hi", "mad_sat"):
            program.add(type_, f"{name}({{}}, {{}}, {{}})", type_, type_, type_)
        if width:
            program.add(type_, "max({}, {})", type_, base)
            program.add(type_, "min({}, {})", type_, base)
            program.add(type_, "clamp({}, {}, {})", type_, base, base)
        if base in wider:
            program.add(wider[base] + width, "upsample({}, {})", type_, unsigned)
        if base in ("int", "uint"):
            program.add(type_, "mul24({}, {})", type_, type_)
            program.add(type_, "mad24({}, {}, {})", type_, type_, type_)


def conversions(program):
    for source, target, width in itertools.product(INTEGERS + FLOATS, INTEGERS + FLOATS, WIDTHS):
        saturations = ["", "_sat"] if target in INTEGERS else [""]
        for saturation, rounding in itertools.product(saturations, ROUNDINGS):
            program.add(target + width, f"convert_{target}{width}{saturation}{rounding}({{}})", source + width)


def memory(program):
    for space, base, width in itertools.product(SPACES + ["constant"], INTEGERS + FLOATS, WIDTHS[1:]):
        declare, place = pointer(space, base)
        program.add(base + width, f"vload{width}(3, {place})", before=declare)
        if space != "constant":
            program.add("void", f"vstore{width}({{}}, 3, {place})", base + width, before=declare)
    for space, width in itertools.product(SPACES + ["constant"], WIDTHS):
        declare, place = half_pointer(space)
        for prefix in ("vload", "vloada") if width else ("vload",):
            program.add("float" + width, f"{prefix}_half{width}(3, {place})", before=declare)
        if space == "constant":
            continue
        for prefix, base, rounding in itertools.product(("vstore", "vstorea")[:2 if width else 1], FLOATS, ROUNDINGS):
            program.add("void", f"{prefix}_half{width}{rounding}({{}}, 3, {place})", base + width, before=declare)


def half_pointer(space):
    if space != "private":
        return pointer(space, "half")
    return "private float place[99]; place[0] = 0; private half* to = (private half*)place;", "to"


def shuffles(program):
    masks = {"char": "uchar", "uchar": "uchar", "short": "ushort", "ushort": "ushort", "int": "uint", "uint": "uint",
             "long": "ulong", "ulong": "ulong", "float": "uint", "double": "ulong"}
    even = ["2", "4", "8", "16"]
    for base, source, target in itertools.product(masks, even, even):
        program.add(base + target, "shuffle({}, {})", base + source, masks[base] + target)
        program.add(base + target, "shuffle2({}, {}, {})", base + source, base + source, masks[base] + target)


def atomics(program):
    for space, type_ in itertools.product(("global", "local"), ("int", "uint", "long", "ulong")):
        raw = {"global": "graw", "local": "lraw"}[space]
        at = f"(volatile {space} {type_}*){raw}"
        prefixes = ("atomic_", "atom_") if type_ in ("int", "uint") else ("atom_",)
        for prefix in prefixes:
            for name in ("add", "sub", "xchg", "min", "max", "and", "or", "xor"):
                program.add(type_, f"{prefix}{name}({at}, {{}})", type_)
            for name in ("inc", "dec"):
                program.add(type_, f"{prefix}{name}({at})")
            program.add(type_, f"{prefix}cmpxchg({at}, {{}}, {{}})", type_, type_)
    for space in ("global", "local"):
        program.add("float", f"atomic_xchg((volatile {space} float*){'graw' if space == 'global' else 'lraw'}, {{}})", "float")
    for space, type_ in itertools.product(("global ", "local ", ""), ("int", "uint", "long", "ulong", "float", "double")):
        raw = {"global ": "graw", "local ": "lraw", "": "(at ? (generic void*)graw : (generic void*)lraw)"}[space]
        at = f"(volatile {space}atomic_{type_}*){raw}"
        modern(program, space, type_, at)
    for space in ("global ", "local ", ""):
        raw = {"global ": "graw", "local ": "lraw", "": "(at ? (generic void*)graw : (generic void*)lraw)"}[space]
        at = f"(volatile {space}atomic_flag*){raw}"
        program.add("int", f"atomic_flag_test_and_set({at})")
        program.add("int", f"atomic_flag_test_and_set_explicit({at}, memory_order_relaxed, memory_scope_device)")
        program.add("void", f"atomic_flag_clear({at})")
        program.add("void", f"atomic_flag_clear_explicit({at}, memory_order_relaxed, memory_scope_device)")
    for scope, order in itertools.product(("work_item", "work_group", "device"), ("relaxed", "acquire", "release", "acq_rel", "seq_cst")):
        if scope != "work_item" and order != "relaxed":
            program.add("void", f"atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_{order}, memory_scope_{scope})")
    for name in ("mem_fence", "read_mem_fence", "write_mem_fence"):
        program.add("void", f"{name}(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)")
    for base, width in itertools.product(INTEGERS + FLOATS, WIDTHS):
        program.add("void", f"prefetch((const global {base}{width}*)graw, 4)")


def modern(program, space, type_, at):
    explicit = (("", ""), ("_explicit", ", memory_order_relaxed"), ("_explicit", ", memory_order_acq_rel, memory_scope_device"))
    program.add("void", f"atomic_init({at}, {{}})", type_)
    for suffix, order in explicit:
        program.add("void", f"atomic_store{suffix}({at}, {{}}{order.replace('acq_rel', 'release')})", type_)
        program.add(type_, f"atomic_load{suffix}({at}{order.replace('acq_rel', 'acquire')})")
        program.add(type_, f"atomic_exchange{suffix}({at}, {{}}{order})", type_)
        both = order.replace(", memory_order_relaxed", ", memory_order_relaxed, memory_order_relaxed").replace(
            ", memory_order_acq_rel", ", memory_order_acq_rel, memory_order_acquire")
        for strength in ("strong", "weak"):
            for expected in ("global", "private", "local"):
                declare, place = pointer(expected, type_)
                program.add("int", f"atomic_compare_exchange_{strength}{suffix}({at}, {place}, {{}}{both})", type_, before=declare)
        if type_ in ("float", "double"):
            continue
        for name in ("add", "sub", "or", "xor", "and", "min", "max"):
            program.add(type_, f"atomic_fetch_{name}{suffix}({at}, {{}}{order})", type_)


FAMILIES = {"math": math, "pointers": pointers, "geometric": geometric, "relational": relational, "integer": integer,
            "conversions": conversions, "memory": memory, "shuffles": shuffles, "atomics": atomics}
PASSES = "skmd-expand-builtins,skmd-link-library<{isa}>"


def check(family, clang, opt, isa, scratch):
    program = Program()
    FAMILIES[family](program)
    source, unlinked = scratch / f"{family}.cl", scratch / f"{family}.ll"
    source.write_text(program.text())
    subprocess.run([clang, "-cc1", "-triple", "spir64-unknown-unknown", "-O1", "-disable-llvm-passes", "-finclude-default-header",
                    "-fdeclare-opencl-builtins", "-cl-std=CL3.0", "-cl-ext=+all,-cl_khr_fp16", "-w", "-ferror-limit", "9", "-emit-llvm", str(source), "-o", str(unlinked)], check=True)
    done = subprocess.run([opt, "-S", "--passes=" + PASSES.format(isa=isa), str(unlinked)], capture_output=True, text=True, check=False)
    problems = [line for line in done.stderr.splitlines() if line]
    left = sorted(set(re.findall(r"^declare .*@(_Z[^(]*)\(", done.stdout, re.M)))
    called = len(program.kernels)
    print(f"{family}: {called} calls, {len(left)} names left" + (", exit status " + str(done.returncode) if done.returncode else ""))
    for line in problems[:20] + left:
        print("  " + line)
    return not left and not problems and done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", required=True)
    parser.add_argument("--skmd-opt", required=True)
    parser.add_argument("--isa", default="avx512")
    parser.add_argument("families", nargs="*", default=[])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        good = [check(family, arguments.clang, arguments.skmd_opt, arguments.isa, pathlib.Path(folder))
                for family in arguments.families or FAMILIES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
