#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SKMD_CHECK=deopt: what work-items leave on PoCL's device ends on the CPU driver as if the whole launch had run there. Kernels that trap in
known and in random places run in a pyopencl program (this script with --child) under skmd-run, with SKMD_CHECK=1 on the CPU driver alone and
with deopt on both devices: the same bytes, states of events and traps.

usage: deopt_test.py BUILD [RANDOM KERNELS] [SEED]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

from attempts import Attempts, expect

ITEMS, GROUP = 1536, 16
KNOWN = """
__kernel void loops(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < n; ++k) sum += in[i + k] * at[(i + k) & 63];
  out[i] = sum;
}
__kernel void nested(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0), sum = 0;
  for (uint j = 0; j < 3; ++j)
    for (uint k = i & 3; k < 7; ++k) sum += in[i + (j * n + k) * 9u] + at[k];
  out[i] = sum;
}
__kernel void counts_down(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0), sum = 0;
  for (uint k = n; k-- > 0;) sum = sum * 3 + in[i - k];
  out[i] = sum + at[0];
}
__kernel void guarded(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = -n; k <= n; ++k)
    if (i + k >= 0 && i + k < (int)get_global_size(0)) sum += in[i + k];
  out[i] = sum;
}
__kernel void gathers(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = 0; k < n; ++k) sum += in[at[i] + k] / (at[i + k] - 5);
  out[i] = sum;
}
__kernel void scatters(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0);
  int own[8];
  for (int k = 0; k < 8; ++k) own[k] = in[i] + k;
  out[i % 7 ? i : i + 3000] = own[at[i] & 7] % at[i];
  out[i] += own[n & 7];
}
__kernel void chooses(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0);
  __global const int *from = in[i] & 1 ? in : at;
  out[i] = from[i + n * 200000] + from[i];
}
__kernel void may_be_null(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0);
  __global const int *from = i % 5 ? in : (__global const int *)0;
  out[i] = from[i];
}
__kernel void vectors(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0);
  int4 x = vload4(i, in), y = ((__global const int4 *)at)[i / 4 + n];
  vstore4(x / y, i, out);
}
__kernel void adds(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0);
  atomic_add(&out[in[i] & 15], 1);
  atomic_add(&out[16 + i * 2], in[i + n]);
}
__kernel void rows(__global int *out, __global const int *in, __global const int *at, int n) {
  size_t x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
  out[y * w + x] = in[(y + get_group_id(1)) * w + x + n] + (int)(get_local_id(1) + get_num_groups(0) + get_global_offset(1));
}
#ifdef cl_arm_controlled_kernel_termination
__kernel void ends(__global int *out, __global const int *in, __global const int *at, int n) {
  int i = get_global_id(0);
  out[i] = in[i];
  if (at[i] == 77) arm_terminate_kernel(ARM_TERMINATION_FAILURE);
  out[i] += 1;
}
#endif
"""
# The kernel, dimensions of its launch; of each trap its line's number in the text is known from the kernel alone.
LAUNCHES = ["loops", "nested", "counts_down", "guarded", "gathers", "scatters", "chooses", "may_be_null", "vectors", "adds", "rows"]


class Kernel:
    """A random kernel that writes nothing but its own elements of `out`, or beyond the buffer."""

    def __init__(self, number, seed):
        self.random = random.Random(seed * 1000003 + number)
        self.name = f"random_{number}"
        self.depth = 0
        self.lines = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def index(self, extra=()):
        i = self.pick("i", "i", "i + %d" % self.random.randrange(-9, 40), "i * %d" % self.random.randrange(2, 5), "at[i]", "(uint)acc % 1600u",
                      "(acc & 2047)", "i ^ %d" % self.random.randrange(64), *extra)
        return i if self.random.random() < 0.8 else f"{i} + at[{self.random.randrange(1540)}]"

    def value(self, extra=()):
        index = self.index(extra)
        return self.pick(f"in[{index}]", f"at[{index}]", f"in[{index}] + in[{index} + 1]", f"((__global const short*)in)[{index}]", "acc * 7", "i", "p[acc & 3]",
                         f"acc / at[{index}]", f"{self.random.randrange(100)} % (at[{index}] - 3)", f"table[{self.pick('acc & 7', 'at[i]', 'i & 3')}]")

    def statement(self, indent, extra=()):
        kind = self.random.random()
        if self.depth < 2 and kind < 0.25:
            k = f"k{self.depth}"
            self.depth += 1
            kind, to = self.pick("int", "uint"), self.pick("3", "n", "(at[i] & 7)", "5 + (i & 3)")
            step = self.pick("++%s", "%s += 2") % k
            self.lines.append(f"{indent}for ({kind} {k} = {self.pick('0', '1', 'i & 1')}; {k} < {to}; {step}) {{")
            for _ in range(self.random.randrange(1, 4)):
                self.statement(indent + "  ", (*extra, k, f"i + {k} * {self.pick('1', '3', 'n')}", f"{k} * n + i"))
            self.lines.append(indent + "}")
            self.depth -= 1
        elif self.depth < 3 and kind < 0.4:
            self.depth += 1
            self.lines.append(f"{indent}if ({self.pick('acc & 1', 'i > 700', 'at[i] > 3', 'i % 5 == 0')}) {{")
            for _ in range(self.random.randrange(1, 3)):
                self.statement(indent + "  ", extra)
            self.lines.append(indent + "}")
            self.depth -= 1
        elif kind < 0.5:
            self.lines.append(f"{indent}p[{self.pick('acc & 3', 'i & 3', '1')}] = {self.value(extra)};")
        elif kind < 0.65:
            self.lines.append(f"{indent}out[i + (({self.pick('acc & 31', 'at[i] & 15', '1')}) == 0 ? 5000 : 0)] {self.pick('=', '+=')} acc;")
        else:
            self.lines.append(f"{indent}acc {self.pick('+=', '^=', '=')} {self.value(extra)};")

    def text(self):
        head = [f"__kernel void {self.name}(__global int *out, __global const int *in, __global const int *at, int n) {{",
                "  int i = get_global_id(0), acc = i;", "  int p[4] = {1, 2, 3, 4};"]
        for _ in range(self.random.randrange(2, 7)):
            self.statement("  ")
        return "\n".join([*head, *self.lines, "  out[i] += acc;", "}", ""])


def text_of(count, seed):
    table = "__constant int table[6] = {3, 1, 4, 1, 5, 9};\n"
    return KNOWN + table + "".join(Kernel(number, seed).text() for number in range(count))


def often(what):
    """A launch again and again: `what` is "traps", in a few of its work-items, or "floods", in all of them."""
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, """__kernel void often(__global int *out, __global const int *at, int all) {
        int i = get_global_id(0); out[i] = all || i == 77 ? i / at[i] : at[i]; }""").build()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    at = np.arange(ITEMS, dtype=np.int32) if what == "traps" else np.zeros(ITEMS, np.int32)
    at[77] = 0
    for _ in range(5):
        out = cl.Buffer(context, flags, hostbuf=np.full(ITEMS, -1, np.int32))
        kernel = program.often
        given = cl.Buffer(context, flags, hostbuf=at)
        kernel.set_args(out, given, np.int32(what == "floods"))
        event = cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (GROUP,))
        try:
            event.wait()
        except cl.Error:
            pass
        result = np.empty(ITEMS, np.int32)
        cl.enqueue_copy(queue, result, out)
        wrong = [i for i in range(ITEMS) if i != 77 and what == "traps" and result[i] != i]
        print(json.dumps([event.command_execution_status, len(wrong), int((result == -1).sum())]))


def frozen():
    """Launches that are all enqueued before the first one traps, each with another scalar; they take turns at one buffer."""
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    program = cl.Program(context, """__kernel void frozen(__global int *out, __global const int *at, int number) {
        int i = get_global_id(0); out[i + number] = i == 77 ? i / at[i] : at[i]; }""").build()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    at = np.arange(ITEMS, dtype=np.int32)
    at[77] = 0
    out, given = cl.Buffer(context, flags, hostbuf=np.full(ITEMS + 64, -1, np.int32)), cl.Buffer(context, flags, hostbuf=at)
    gate, events = cl.UserEvent(context), []
    for number in range(20):
        kernel = program.frozen
        kernel.set_args(out, given, np.int32(number))
        events.append(cl.enqueue_nd_range_kernel(queue, kernel, (ITEMS,), (GROUP,), wait_for=[gate]))
    queue.flush()
    gate.set_status(cl.command_execution_status.COMPLETE)
    for event in events:
        try:
            event.wait()
        except cl.Error:
            pass
        print(json.dumps(event.command_execution_status))


def child(count, seed):
    from outcomes import outcomes

    def shape(name):
        return ((48, 32), (8, 4), (0, 2)) if name == "rows" else ((ITEMS,), (GROUP,), None)

    launches = LAUNCHES + [f"random_{number}" for number in range(count)]
    print(json.dumps(outcomes(text_of(count, seed), launches, seed, ITEMS, 4000, shape)))


def check_often(build, what, environment, left, why_not):
    lines, stats = run(build, what, 0, {"SKMD_CHECK": "deopt", "SKMD_PARTITION": "single:0", **environment}, "portable:basic@discrete,cpu")
    expect(lines == [[-5, 0, 0]] * 5, str(lines))
    traps = stats["traps"]
    expect(traps["count"] == 5 * (1 if what == "traps" else ITEMS), str(traps))
    expect(left(traps["left_items"]) and traps["why_not"] == why_not, str(traps))


def check_frozen(build):
    lines, stats = run(build, "frozen", 0, {"SKMD_CHECK": "deopt", "SKMD_PARTITION": "single:0"}, "portable:basic@discrete,cpu")
    expect(lines == [-5] * 20, str(lines))
    expect(stats["traps"]["count"] == 20, str(stats["traps"]))


def run(build, count, seed, environment, devices):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--", sys.executable,
                   os.path.abspath(__file__), "--child", str(count), str(seed)]
        done = subprocess.run(command, env={**os.environ, "SKMD_TEST_CPU_DRIVER": "1", "PYOPENCL_NO_CACHE": "1", "POCL_DEVICES": "basic pthread", **environment},
                              capture_output=True, text=True, timeout=600)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr[-2000:]}")
        with open(stats, encoding="utf-8") as file:
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            return lines if len(lines) > 1 else lines[0], json.load(file)


def difference(name, expected, found):
    if expected[0] != found[0]:
        return f"{name}: status {found[0]}, not {expected[0]}"
    for which, (a, b) in enumerate(zip(expected[1], found[1])):
        places = [i for i, (x, y) in enumerate(zip(a, b)) if x != y]
        if places:
            return f"{name}: argument {which} differs in {len(places)} words, the first at {places[0]}: {b[places[0]]}, not {a[places[0]]}"
    return None


def compare(build, count, seed, environment, devices, totals):
    expected, plain = run(build, count, seed, {"SKMD_CHECK": "1"}, "cpu")
    found, stats = run(build, count, seed, {"SKMD_CHECK": "deopt", **environment}, devices)
    wrong = [difference(name, expected[name], found[name]) for name in expected]
    expect(not any(wrong), "; ".join(text for text in wrong if text))
    # Only deopt has the builtin, by which items end, and launches fail in a way of their own.
    status, (out, given, at) = found["ends"]
    ended = sum(number == 77 for number in at[:ITEMS])
    expect(status == -1108 and out == [number + (end != 77) for number, end in zip(given, at)][:ITEMS], f"ends: {status}")
    # Code of whole groups may count several accesses of an item to one place outside as one; items that go on alone count each.
    least = plain["traps"]["count"] + ended
    expect(least <= stats["traps"]["count"] <= 2 * least, f"traps: {stats['traps']}, not {plain['traps']} and {ended}")
    expect({trap["kind"] for trap in stats["traps"]["first"]} <= {"out_of_bounds", "division_by_zero", "terminated"}, str(stats["traps"]))
    totals["left_items"] += stats["traps"]["left_items"]
    totals["launches"] += sum(kernel["launches"] for kernel in stats["kernels"])
    return stats


def main():
    if sys.argv[1] == "--child":
        if sys.argv[2] == "frozen":
            return frozen()
        return often(sys.argv[2]) if sys.argv[2] in ("traps", "floods") else child(int(sys.argv[2]), int(sys.argv[3]))
    build, count, seed = sys.argv[1], int((sys.argv[2:] + [12])[0]), int((sys.argv[3:] + [1])[0])
    attempt, totals = Attempts(), {"left_items": 0, "launches": 0}
    for what, environment, devices in (
            ("on PoCL's device", {"SKMD_PARTITION": "single:0"}, "portable:basic@discrete,cpu"),
            ("on both", {"SKMD_PARTITION": "equal"}, "portable:basic@discrete,cpu"),
            ("on a CPU with a memory of its own", {"SKMD_PARTITION": "equal", "SKMD_TEST_CPUS": "sse:1@discrete"}, "portable:basic@discrete,cpu")):
        attempt(f"traps {what}", lambda: print(compare(build, count, seed, environment, devices, totals)["traps"]))
    print(totals)
    attempt("items left at all", lambda: expect(totals["left_items"] > 1000, str(totals)))
    # A device that items left in three launches gets no more of them.
    attempt("traps in one item", lambda: check_often(build, "traps", {}, lambda items: items == 3, {"traps_often": 2}))
    attempt("launches that were enqueued before", lambda: check_frozen(build))
    # Records of few groups at a time: where the items of all of them left, the other groups do not begin there.
    attempt("traps in all items", lambda: check_often(build, "floods", {"SKMD_TEST_TRAP_BYTES": "2048"}, lambda items: 0 < items < ITEMS, {"traps_often": 2}))
    return 1 if attempt.failed else 0


if __name__ == "__main__":
    sys.exit(main())
