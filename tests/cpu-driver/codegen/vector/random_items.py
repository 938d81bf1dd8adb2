#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random item functions, masked and widened, beside the same functions item by item.

    random_items.py --write-items PATH --skmd-opt PATH --lli PATH [--first SEED] [--modules N] [--keep]

Compares what they write and return, for all lanes and for some. A seed that fails is printed; its module is kept.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import processor  # noqa: E402

SHARED, OWN, ITEMS = 64, 8, 128
HASH = """
define internal i32 @hash(i32 %x) {
  %a = mul i32 %x, -1640531527
  %b = lshr i32 %a, 13
  %c = xor i32 %a, %b
  ret i32 %c
}
"""


def harness(rng, results, lanes):
    """@main, which returns 1 where widened functions differ."""
    own_bytes = ITEMS * OWN * 4
    words = ", ".join(f"i32 {rng.choice([at, rng.randrange(256)])}" for at in range(SHARED))
    text = f"@shared = internal addrspace(1) constant [{SHARED} x i32] [{words}]\n"
    for side in "ab":
        text += f"@own.{side} = internal addrspace(1) global [{own_bytes} x i8] zeroinitializer, align 4\n"
        text += f"@count.{side} = internal addrspace(1) global i32 0\n"
    text += "declare i32 @memcmp(ptr, ptr, i64)\n"
    steps, checks = [], 0

    def differ(condition):
        nonlocal checks
        checks += 1
        steps.append(f"  br i1 {condition}, label %bad, label %good{checks}\ngood{checks}:")

    for number, result in enumerate(results):
        parameters = "i64, i32, i32, ptr addrspace(1), ptr addrspace(1), ptr addrspace(1)"
        text += f"declare {result} @f{number}.x{lanes}({parameters})\n"
        text += f"declare {result} @f{number}.x{lanes}.live({parameters}, <{lanes} x i1>)\n"
        for live in (False, True, True):
            first = rng.randrange(60)
            bits = [True] * lanes
            while live and (all(bits) or not any(bits)):
                some = rng.randrange(lanes + 1)
                bits = [at < some for at in range(lanes)] if rng.random() < 0.5 else [rng.random() < 0.5 for _ in bits]
            uniform = f"i32 {rng.randrange(9)}, i32 {rng.randrange(5)}, ptr addrspace(1) @shared"

            def call(name, side, lane, more=""):
                value = f"%r{len(steps)}"
                head = f"  {value} = " if result != "void" else "  "
                steps.append(f"{head}call {result} @{name}(i64 {lane}, {uniform}, ptr addrspace(1) @own.{side}, "
                             f"ptr addrspace(1) @count.{side}{more})")
                return value

            expected = None
            for at, bit in enumerate(bits):
                if bit:
                    expected = call(f"ref{number}", "a", first + at)
            name = f"f{number}.x{lanes}" + (".live" if live else "")
            mask = ", ".join(f"i1 {str(bit).lower()}" for bit in bits)
            got = call(name, "b", first, f", <{lanes} x i1> <{mask}>" if live else "")
            for what, size in (("own", own_bytes), ("count", 4)):
                value = f"%c{len(steps)}"
                steps.append(f"  {value} = call i32 @memcmp(ptr addrspacecast (ptr addrspace(1) @{what}.a to ptr), "
                             f"ptr addrspacecast (ptr addrspace(1) @{what}.b to ptr), i64 {size})")
                steps.append(f"  {value}.d = icmp ne i32 {value}, 0")
                differ(f"{value}.d")
            if result != "void":
                value = f"%c{len(steps)}"
                steps.append(f"  {value} = icmp ne i32 {expected}, {got}")
                differ(value)
    return text + "define i32 @main() {\n" + "\n".join(steps) + "\n  ret i32 0\nbad:\n  ret i32 1\n}\n"


NOT_RUN = "this processor has no such instructions"


def try_seed(seed, options, folder):
    rng = random.Random(seed)
    lanes, isa = rng.choice([2, 4, 8, 16, 32]), rng.choice(processor.ISAS)
    made = subprocess.run([options.write_items, str(seed * options.functions), str(options.functions)],
                          capture_output=True, text=True, check=True).stdout
    results = [found.group(1) for found in re.finditer(r"^define internal (\w+) @f\d+\(", made, re.M)]
    made = re.sub(r"^declare i32 @_Z4hashi\(i32\).*$", HASH.replace("@hash", "@_Z4hashi").replace("{", "memory(none) {", 1), made,
                  flags=re.M)
    source, widened = folder / f"{seed}.ll", folder / f"{seed}.wide.ll"
    source.write_text('target triple = "x86_64-unknown-linux-gnu"\n' + made + harness(rng, results, lanes))
    tidy = ",function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa)"
    after = ",function(sroa,early-cse,gvn,instcombine<no-verify-fixpoint>,simplifycfg,dce)"
    passes = (f"skmd-masks,skmd-widen<width={lanes};isa={isa};full>,skmd-widen<width={lanes};isa={isa};live>,globaldce"
              + (after if rng.random() < 0.5 else "") + f",skmd-lower-masked<{isa}>")
    if rng.random() < 0.5:
        passes = tidy[1:].replace("simplifycfg", "simplifycfg,lower-switch") + "," + passes
    passes += f",skmd-few-lanes,skmd-join-stores,skmd-pack-members<{isa}>,skmd-lower-lookups<{isa}>,skmd-lower-gathers<{isa}>"
    where = f"lanes {lanes}, {isa}, {passes}"
    done = subprocess.run([options.skmd_opt, "-S", f"--passes={passes}", str(source)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0 or done.stderr:
        return f"{where}: {done.stderr[-2000:]}"
    widened.write_text(done.stdout)
    if isa not in processor.usable_here():
        return NOT_RUN
    try:
        done = subprocess.run([options.lli, f"-mcpu={processor.PROCESSORS[isa]}", "-O1", str(widened)], capture_output=True, text=True,
                              check=False, timeout=300)
    except subprocess.TimeoutExpired:
        return f"{where}: no end"
    if done.returncode != 0:
        return f"{where}: status {done.returncode} {done.stdout[-500:]}{done.stderr[-500:]}"
    if not options.keep:
        source.unlink()
        widened.unlink()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write-items", required=True)
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
            print(f"seed {seed}: {problem}", flush=True)
    print(f"{options.modules} modules of {options.functions} item functions, {bad} bad, {left_out} for another processor only widened")
    return bad > 0


sys.exit(main())
