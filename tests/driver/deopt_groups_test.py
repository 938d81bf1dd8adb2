#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SKMD_CHECK=deopt, kernels with barriers and local memory: work-items that trap go on on PoCL's device as they do on the CPU driver. Kernels
that trap in known and in random places run in a pyopencl program (this script with --child) under skmd-run, with SKMD_CHECK=1 on the CPU driver
alone and with deopt on both devices: the same bytes, states of events, traps and messages.

usage: deopt_groups_test.py BUILD [RANDOM KERNELS] [SEED]
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from attempts import Attempts, expect
from deopt_test import difference

ITEMS, GROUP = 768, 16
# Each with `shared` of a word for each item, but for those in BYTES. All local memory is written before it is read; no variable but the last
# has bytes behind it that are no variable's, which reads beyond its end would find: variables lie at multiples of 128 bytes.
KNOWN = """
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define PARAMETERS __global int *out, __global const int *in, __global const int *at, int n, __local int *shared
#define IDS int i = get_global_id(0), l = get_local_id(0), acc = 0
typedef struct { int by[3]; } Steps;
__kernel void inside(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  for (int k = 0; k < n; ++k) { acc += shared[(l + k) & 15]; BARRIER; shared[l] += k; BARRIER; }
  out[i] = acc;
}
__kernel void first_item(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  acc = shared[i == 0 ? 16 : l]; BARRIER;
  out[i] = acc + shared[15 - l];
}
__kernel void last_item(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  out[i == 767 ? 99999 : i] = shared[15 - l]; BARRIER;
  out[i] += shared[l];
}
__kernel void one_group(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  for (int k = 0; k < 20; ++k) { acc += shared[get_group_id(0) == 17 ? k : (k & 15)]; BARRIER; }
  out[i] = acc;
}
__kernel void too_small(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  for (int k = 0; k < 16; ++k) acc += shared[k];
  BARRIER; shared[15 - l] = acc; BARRIER;
  out[i] = shared[l];
}
__kernel void may_be_null(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  __local int *some = l < 12 ? shared : (__local int *)0;
  some[15 - l] = i; BARRIER;
  out[i] = shared[l];
}
__kernel void together(PARAMETERS) {
  __local int a[32]; __local short b[24];
  IDS; a[l] = in[i]; a[l + 16] = l; b[l] = l; if (l < 8) b[16 + l] = 3; BARRIER;
  acc = a[l + (at[i] & 4) * 6] + b[l + (at[i] & 2) * 4] + a[l - (at[i] & 1)]; BARRIER;
  b[l + (in[i] & 1) * 100] = acc; BARRIER;
  out[i] = acc + b[l];
}
__kernel void counts(PARAMETERS) {
  __local int bins[8];
  IDS; shared[l] = 0; if (l < 8) bins[l] = 0; BARRIER;
  atomic_add(&bins[at[i]], 1); atomic_max(&shared[at[i] * 2], at[i]); BARRIER;
  if (l < 8) atomic_add(&out[l], bins[l]);
  atomic_inc(&out[i * 2 + 40]);
}
__kernel void exchanges(PARAMETERS) {
  IDS; shared[l] = 0; BARRIER;
  __local int *place = &shared[at[i] * 3];
  int old;
  do { old = *place; } while (atomic_cmpxchg(place, old, old + 1) != old);
  BARRIER;
  out[i] = shared[l];
}
__kernel void several(PARAMETERS) {
  __local int other[16];
  IDS; shared[l] = in[i]; other[l] = at[i]; BARRIER;
  __global const int *from = in[i] & 1 ? in : at;
  __local int *near = l & 1 ? shared : other;
  acc = from[i + n * 300000 * (at[i] == 7)] + near[(l + 3) & 15] + near[(at[i] == 3) * 100000 + l]; BARRIER;
  out[i] = acc;
}
__kernel void divides(PARAMETERS) {
  IDS; shared[l] = at[i]; BARRIER;
  acc = in[i] / shared[15 - l]; BARRIER;
  shared[l] = acc % (at[i] - 3); BARRIER;
  out[i] = shared[15 - l] + (int)((uint)in[i] / (uint)shared[l]);
}
__kernel void negative(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  for (int k = -2; k <= 2; ++k) { acc += shared[l + k]; BARRIER; }
  for (uint k = 2; k-- > 0;) acc += shared[l - k] + in[(uint)i * 3000000000u + k];
  out[i] = acc;
}
__kernel void vectors(PARAMETERS) {
  IDS; vstore2((int2)(in[i], l), l, shared); BARRIER;
  int4 x = vload4(l & 7, shared), y = ((__global const int4 *)at)[i / 3]; BARRIER;
  ((__local int2 *)shared)[(l * 3) & 31] = x.xy + y.zw; BARRIER;
  out[i] = x.z + y.x + shared[l];
}
__kernel void copies(PARAMETERS) {
  IDS; shared[l] = 0; BARRIER;
  event_t event = async_work_group_copy(shared, in + (get_group_id(0) & 1 ? get_group_id(0) * 16 : get_group_id(0) * 40), 16, 0);
  wait_group_events(1, &event);
  out[i] = shared[15 - l]; BARRIER;
  shared[l] = i; BARRIER;
  event = async_work_group_copy(out + get_group_id(0) * 16 + (get_group_id(0) == 47 ? 9 : 0), shared, 16, 0);
  wait_group_events(1, &event);
}
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void required(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  out[i] = shared[l + (at[i] == 5)];
}
__kernel void without_barriers(PARAMETERS) {
  IDS; shared[l] = in[i];
  if (at[i] == 4) return;
  shared[l + 16 * (at[i] == 5)] += n;
  out[i] = shared[l];
}
__kernel void rows(PARAMETERS) {
  size_t x = get_global_id(0), y = get_global_id(1), l = get_local_id(1) * get_local_size(0) + get_local_id(0);
  shared[l] = in[y * get_global_size(0) + x]; BARRIER;
  out[(y - 2) * get_global_size(0) + x] = shared[l + get_group_id(1) % 3] + get_num_groups(0) + get_global_offset(1);
}
__kernel void steps(__global int *out, __global const int *in, __global const int *at, int n, __local int *shared, Steps steps) {
  IDS; shared[l] = in[i]; BARRIER;
  for (int k = 0; k < 3; ++k) acc += shared[(l * steps.by[k]) & 31];
  out[i] = acc;
}
#ifdef cl_arm_controlled_kernel_termination
__kernel void ends(PARAMETERS) {
  IDS; shared[l] = in[i]; BARRIER;
  if (at[i] == 77) arm_terminate_kernel(ARM_TERMINATION_FAILURE);
  BARRIER;
  out[i] = shared[15 - l] + 1;
}
#endif
"""
LAUNCHES = re.findall(r"void (\w+)\((?:PARAMETERS|__global int \*out)", KNOWN)
LAUNCHES.remove("ends")
BYTES = {"too_small": 40, "vectors": 120}
# Kernels with one trap at most, of which messages are told that do not depend on what comes first.
ALONE = ["inside", "first_item", "last_item"]


class Kernel:
    """A random kernel whose items write their own elements, or beyond all memory, and read others' behind barriers."""

    def __init__(self, number, seed):
        self.random = random.Random(seed * 1000003 + number)
        self.name = f"random_{number}"
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def index(self, extra=()):
        return self.pick("l", "15 - l", "l + %d" % self.random.randrange(-3, 20), "at[i]", "acc & 31", "(uint)acc % 19u", "l ^ %d" % self.random.randrange(16),
                         "(l + at[i]) & 15", f"l + at[{self.random.randrange(770)}]", *extra)

    def value(self, extra=()):
        near, far = self.index(extra), self.pick("i", "i + %d" % self.random.randrange(-4, 30), "at[i] * 99", "i * 2", "acc & 1023", *extra)
        return self.pick(f"shared[{near}]", f"own[{near}]", f"small[{near}]", f"in[{far}]", f"at[{far}]", f"shared[{near}] * own[{near}]",
                         f"acc / at[{far}]", f"in[{far}] % (own[{near}] - 3)", f"table[{self.pick('acc & 7', 'l', 'at[i] & 3')}]", f"p[{self.pick('acc & 3', 'l & 3')}]")

    def write(self, indent):
        """Behind and before a barrier: of one array only, each item its own element or none at all."""
        far = self.pick("(acc & 7) == 0", "at[i] == 2", "l == 3", "i > 700", "0")
        array = self.pick("shared", "own", "small")
        self.lines.append(f"{indent}BARRIER;")
        if array == "shared" and self.random.random() < 0.3:
            self.lines.append(f"{indent}atomic_add(&shared[({far}) ? 5000 : l], acc & 15);")
        else:
            self.lines.append(f"{indent}{array}[({far}) ? {self.pick('5000', '-700')} : l] {self.pick('=', '+=')} acc;")
        self.lines.append(f"{indent}BARRIER;")

    def reads(self, indent, extra=(), depth=0):
        kind = self.random.random()
        if depth < 2 and kind < 0.2:
            self.lines.append(f"{indent}if ({self.pick('acc & 1', 'l > 7', 'at[i] > 3', 'i % 5 == 0')}) {{")
            self.reads(indent + "  ", extra, depth + 1)
            self.lines.append(indent + "}")
        elif depth < 2 and kind < 0.35:
            k = f"j{depth}"
            self.lines.append(f"{indent}for ({self.pick('int', 'uint')} {k} = {self.pick('0', 'l & 1')}; {k} < {self.pick('3', 'n', 'at[i] & 7')}; ++{k}) {{")
            self.reads(indent + "  ", (*extra, k, f"l + {k}", f"l * {k}"), depth + 1)
            self.lines.append(indent + "}")
        elif kind < 0.5:
            self.lines.append(f"{indent}out[i + (({self.pick('acc & 31', 'at[i]')}) == 0 ? 5000 : 0)] {self.pick('=', '+=')} acc;")
        elif kind < 0.6:
            self.lines.append(f"{indent}p[{self.pick('acc & 3', 'l & 3')}] = {self.value(extra)};")
        else:
            self.lines.append(f"{indent}acc {self.pick('+=', '^=', '=')} {self.value(extra)};")

    def phase(self, indent, extra=()):
        for _ in range(self.random.randrange(1, 4)):
            self.reads(indent, extra)
        if self.random.random() < 0.8:
            self.write(indent)

    def text(self):
        head = [f"__kernel void {self.name}(PARAMETERS) {{", "  __local int own[32]; __local short small[24];", "  IDS;", "  int p[4] = {1, 2, 3, 4};",
                "  shared[l] = in[i]; own[l] = i; own[16 + l] = 7; small[l] = l; if (l < 8) small[16 + l] = 9;", "  BARRIER;"]
        for _ in range(self.random.randrange(1, 4)):
            if self.random.random() < 0.5:
                k = self.pick("k", "m")
                self.lines.append(f"  for (int {k} = 0; {k} < {self.pick('2', 'n')}; ++{k}) {{")
                self.phase("    ", (k, f"l + {k}", f"{k} * 5"))
                self.lines.append("  }")
            else:
                self.phase("  ")
        return "\n".join([*head, *self.lines, "  out[i] += acc;", "}", ""])


def text_of(count, seed):
    return KNOWN + "__constant int table[6] = {3, 1, 4, 1, 5, 9};\n" + "".join(Kernel(number, seed).text() for number in range(count))


def child(count, seed):
    import numpy as np
    import pyopencl as cl
    from outcomes import outcomes

    def more(name):
        return [cl.LocalMemory(BYTES.get(name, 64))] + ([np.array([1, 2, 5], np.int32)] if name == "steps" else [])

    def shape(name):
        return ((24, 32), (4, 4), (0, 2)) if name == "rows" else ((ITEMS,), (GROUP,), None)

    launches = LAUNCHES + [f"random_{number}" for number in range(count)]
    print(json.dumps(outcomes(text_of(count, seed), launches, seed, ITEMS, 2000, shape, more)))


def run(build, count, seed, environment, devices):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--", sys.executable,
                   os.path.abspath(__file__), "--child", str(count), str(seed)]
        variables = {"SKMD_TEST_CPU_DRIVER": "1", "PYOPENCL_NO_CACHE": "1", "POCL_DEVICES": "basic pthread", "SKMD_LOG": "error", **environment}
        done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=600)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr[-2000:]}")
        with open(stats, encoding="utf-8") as file:
            return json.loads(done.stdout), json.load(file), done.stderr


def messages_of(kernel, log):
    return sorted(re.findall(rf"kernel {kernel}, .*", log))


def groups_of(stats):
    return {kernel["name"]: kernel["groups"] for kernel in stats["kernels"]}


def compare(build, count, seed, environment, devices):
    expected, plain, plain_log = run(build, count, seed, {"SKMD_CHECK": "1"}, "cpu")
    found, stats, log = run(build, count, seed, {"SKMD_CHECK": "deopt", **environment}, devices)
    wrong = [difference(name, expected[name], found[name]) for name in expected]
    expect(not any(wrong), "; ".join(text for text in wrong if text))
    expect(sum(status == -5 for status, _ in expected.values()) > count // 2, "hardly any kernel traps")
    # Only deopt has the builtin. The other items of a group wait for one that calls it: it goes on.
    status, (out, given, at) = found["ends"]
    ended = sum(number == 77 for number in at[:ITEMS])
    reversed_groups = [given[i - i % GROUP + GROUP - 1 - i % GROUP] + 1 for i in range(ITEMS)]
    expect(status == -1108 and out == reversed_groups, f"ends: {status}")
    for name in ALONE:
        expect(messages_of(name, log) == messages_of(name, plain_log), f"{messages_of(name, log)}, not {messages_of(name, plain_log)}")
    # Code of whole groups may count several accesses of an item to one place outside as one; others count each.
    least = plain["traps"]["count"] + ended
    expect(least <= stats["traps"]["count"] <= 2 * least, f"traps: {stats['traps']['count']}, not {plain['traps']['count']} and {ended}")
    expect(stats["traps"]["why_not"] == {} and stats["traps"]["left_items"] == 0, str(stats["traps"]))
    # The devices are listed as given: PoCL's comes first. Launches that may end the kernel are not divided.
    missing = [name for name, groups in groups_of(stats).items() if groups[0] == 0 and name != "ends"]
    expect(missing == [], f"kernels that PoCL's device had no part in: {missing}")
    return {"traps": stats["traps"]["count"], "plain": plain["traps"]["count"]}


def main():
    if sys.argv[1] == "--child":
        return child(int(sys.argv[2]), int(sys.argv[3]))
    build, count, seed = sys.argv[1], int((sys.argv[2:] + [24])[0]), int((sys.argv[3:] + [1])[0])
    attempt = Attempts()
    for what, environment, devices in (
            ("on PoCL's device", {"SKMD_PARTITION": "single:0"}, "portable:basic@discrete,cpu"),
            ("on PoCL's device in parts", {"SKMD_PARTITION": "single:0", "SKMD_TEST_TRAP_BYTES": "200"}, "portable:basic@discrete,cpu"),
            ("on both", {"SKMD_PARTITION": "equal"}, "portable:basic@discrete,cpu")):
        attempt(f"traps {what}", lambda: print(compare(build, count, seed, environment, devices)))
    return 1 if attempt.failed else 0


if __name__ == "__main__":
    sys.exit(main())
