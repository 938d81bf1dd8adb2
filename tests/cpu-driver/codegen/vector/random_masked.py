#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random functions in masked form, widened and run beside the same functions item by item.

    random_masked.py --skmd-opt PATH --lli PATH [--first SEED] [--modules N] [--keep FOLDER]

A module holds some functions, each twice: in masked form, which skmd-widen makes vectors of, and as plain code of one
item with the masks as conditions. Its main() runs both for each set of lanes and compares every byte of the output.
Functions have no races, so items may run one after the other. A seed that fails is printed; its module is kept.
"""
import argparse
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import processor  # noqa: E402
from random_function import Function
from random_numbers import FLOATS, INTS, ITEMS, OUTPUT, SLOTS, TABLE


def markers():
    text = "define internal i1 @skmd.any(i1 %m) {\n  ret i1 %m\n}\n"
    for kind in INTS + FLOATS:
        for space in (0, 1, 3):
            pointer = "ptr" if space == 0 else f"ptr addrspace({space})"
            if space in (1, 3):
                text += f"""
define internal {kind} @skmd.load.{kind}.p{space}({pointer} %p, i1 %m) {{
  br i1 %m, label %yes, label %no
yes:
  %v = load {kind}, {pointer} %p
  ret {kind} %v
no:
  ret {kind} zeroinitializer
}}"""
            text += f"""
define internal void @skmd.store.{kind}.p{space}({kind} %v, {pointer} %p, i1 %m) {{
  br i1 %m, label %yes, label %no
yes:
  store {kind} %v, {pointer} %p
  ret void
no:
  ret void
}}
"""
    return text


def filler(kind, space):
    """Gives each element of a table a value of its own."""
    convert = {"float": "sitofp i8 %b to float", "double": "sitofp i8 %b to double", "i64": "or i64 %h, 0",
               "i32": "trunc i64 %h to i32", "i16": "trunc i64 %h to i16", "i8": "trunc i64 %h to i8"}[kind]
    return f"""
define internal void @fill.{kind}.{space}() {{
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %n, %loop ]
  %m = mul i64 %i, -7046029254386353131
  %s = lshr i64 %m, 29
  %h = xor i64 %m, %s
  %b = trunc i64 %h to i8
  %v = {convert}
  %p = getelementptr {kind}, ptr addrspace({space}) @table.{kind}.{space}, i64 %i
  store {kind} %v, ptr addrspace({space}) %p
  %n = add i64 %i, 1
  %more = icmp ult i64 %n, {TABLE + 8}
  br i1 %more, label %loop, label %end
end:
  ret void
}}"""


def main_text(rng, functions, lanes):
    """Runs each function for a few firsts, all lanes and some, and compares output and log."""
    out_bytes, log_bytes = SLOTS * OUTPUT * ITEMS, 1 << 18
    spaces = [(kind, space) for kind in INTS + FLOATS for space in (1, 3)]
    text = "".join(f"@table.{kind}.{space} = internal addrspace({space}) global [{TABLE + 8} x {kind}] zeroinitializer, "
                   f"align 64\n" for kind, space in spaces)
    for name, size in (("out.a", out_bytes), ("out.b", out_bytes), ("log.a", log_bytes), ("log.b", log_bytes)):
        text += f"@{name} = internal addrspace(1) global [{size} x i8] zeroinitializer, align 64\n"
    text += "declare i32 @memcmp(ptr, ptr, i64)\ndeclare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)\n"
    text += "declare i32 @printf(ptr, ...)\n@says = internal constant [28 x i8] c\"function %d, run %d differs\\00\"\n"
    text += "".join(filler(kind, space) for kind, space in spaces)
    arguments = ", ".join(f"ptr addrspace({space}) @table.{kind}.{space}" for kind, space in spaces)
    types = ", ".join(f"ptr addrspace({space})" for _, space in spaces)
    steps, runs = [], 0
    for number in range(functions):
        text += f"declare void @f{number}.x{lanes}({types}, ptr addrspace(1), ptr addrspace(1), i64, i32, i64, i64)\n"
        text += (f"declare void @f{number}.x{lanes}.live({types}, ptr addrspace(1), ptr addrspace(1), i64, i32, i64, i64, "
                 f"<{lanes} x i1>)\n")
        for live in (False, True, True):
            first, uniform, u32 = rng.randrange(0, 300), rng.randrange(0, 1 << 40), rng.choice([3, 0, 250, 1 << 31])
            bits = [True] * lanes
            if live:
                some = rng.randrange(lanes + 1)
                bits = [at < some for at in range(lanes)] if rng.random() < 0.6 else [rng.random() < 0.5 for _ in bits]
            def call(name, out, lane):
                return (f"  call void @{name}({arguments}, ptr addrspace(1) @out.{out}, ptr addrspace(1) @log.{out}, "
                        f"i64 {uniform}, i32 {u32 if u32 < 1 << 31 else u32 - (1 << 32)}, i64 {first + lanes + 20}, i64 {lane}")
            for at, bit in enumerate(bits):
                steps.append(call(f"ref{number}", "a", first + at) + f", i1 {str(bit).lower()})")
            if live:
                mask = ", ".join(f"i1 {str(bit).lower()}" for bit in bits)
                steps.append(call(f"f{number}.x{lanes}.live", "b", first) + f", <{lanes} x i1> <{mask}>)")
            else:
                steps.append(call(f"f{number}.x{lanes}", "b", first) + ")")
            runs += 1
            for what, size in (("out", out_bytes), ("log", log_bytes)):
                steps.append(f"""  %c.{what}.{runs} = call i32 @memcmp(ptr addrspacecast (ptr addrspace(1) @{what}.a to ptr), ptr addrspacecast (ptr addrspace(1) @{what}.b to ptr), i64 {size})
  %d.{what}.{runs} = icmp ne i32 %c.{what}.{runs}, 0
  br i1 %d.{what}.{runs}, label %bad.{what}.{runs}, label %good.{what}.{runs}
bad.{what}.{runs}:
  call i32 (ptr, ...) @printf(ptr @says, i32 {number}, i32 {runs})
  ret i32 1
good.{what}.{runs}:""")
    fills = "\n".join(f"  call void @fill.{kind}.{space}()" for kind, space in spaces)
    return text + f"define i32 @main() {{\nentry:\n{fills}\n" + "\n".join(steps) + "\n  ret i32 0\n}\n"


def module_text(seed, functions):
    rng = random.Random(seed)
    lanes = rng.choice([2, 4, 8, 16, 32])
    isa = rng.choice(processor.ISAS)
    made = [Function(rng, number, lanes) for number in range(functions)]
    text = 'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
    text += 'target triple = "x86_64-unknown-linux-gnu"\n'
    text += "".join(each.text() for each in made) + "".join(each.each_text() for each in made) + markers()
    return text + main_text(rng, functions, lanes), lanes, isa, rng.random() < 0.5


NOT_RUN = "this processor has no such instructions"


def try_seed(seed, options, folder):
    text, lanes, isa, optimise = module_text(seed, options.functions)
    source, widened = folder / f"{seed}.ll", folder / f"{seed}.wide.ll"
    source.write_text(text)
    passes = f"skmd-widen<width={lanes};isa={isa};full>,skmd-widen<width={lanes};isa={isa};live>"
    passes += ",globaldce"
    if optimise:
        passes += ",function(sroa,early-cse,gvn,instcombine<no-verify-fixpoint>,simplifycfg,dce)"
    passes += f",skmd-few-lanes,skmd-join-stores,skmd-pack-members<{isa}>,skmd-lower-lookups<{isa}>,skmd-lower-gathers<{isa}>"
    done = subprocess.run([options.skmd_opt, "-S", f"--passes={passes},skmd-lower-masked<{isa}>", str(source)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0 or "not widened" in done.stderr:
        return f"skmd-opt: {done.stderr[-2000:]}"
    widened.write_text(done.stdout)
    if isa not in processor.usable_here():
        return NOT_RUN
    try:
        done = subprocess.run([options.lli, f"-mcpu={processor.PROCESSORS[isa]}", "-O1", str(widened)], capture_output=True, text=True,
                              check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return f"lanes {lanes}, {isa}, optimised {optimise}: no end"
    if done.returncode != 0:
        return f"lanes {lanes}, {isa}, optimised {optimise}: status {done.returncode} {done.stdout[-500:]}{done.stderr[-500:]}"
    if not options.keep:
        source.unlink()
        widened.unlink()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skmd-opt", required=True)
    parser.add_argument("--lli", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--modules", type=int, default=20)
    parser.add_argument("--functions", type=int, default=6)
    parser.add_argument("--folder", default=".")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    bad, left_out = 0, 0
    for seed in range(options.first, options.first + options.modules):
        problem = try_seed(seed, options, folder)
        if problem == NOT_RUN:
            left_out += 1
        elif problem:
            bad += 1
            print(f"seed {seed}: {problem}")
    print(f"{options.modules} modules of {options.functions} functions, {bad} bad, {left_out} for another processor only widened")
    return bad > 0


sys.exit(main())
