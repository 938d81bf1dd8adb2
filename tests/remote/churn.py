# SPDX-License-Identifier: Apache-2.0
"""An application that makes, uses and frees objects for some seconds and knows every value beforehand: churn.py SECONDS. Prints `started`, then as
JSON how many `rounds` it made, how many values were `wrong` where all calls had succeeded and `where`, and the `errors` of rounds that a
call ended.
"""
import json
import sys
import time

import numpy
import pyopencl as cl

N = 1 << 16
SOURCE = """
kernel void add(global int* x, int n) { x[get_global_id(0)] += n; }
kernel void spin(global const int* from, global int* to, int rounds) {
  size_t i = get_global_id(0);
  int v = from[i];
  for (int r = 0; r < rounds; ++r) v = v * 3 + 1;
  to[i] = v;
}"""


def expected(values, rounds):
    with numpy.errstate(over="ignore"):
        for _ in range(rounds):
            values = values * numpy.int32(3) + numpy.int32(1)
    return values


class Round:
    def __init__(self, context, program):
        self.queue = cl.CommandQueue(context)
        self.add, self.spin = program.add, program.spin
        self.first, self.second = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * N) for _ in range(2))

    def wrong(self, turn):
        """How many values are wrong. What is read was written by launches and by the host since."""
        values = numpy.arange(N, dtype=numpy.int32) + turn
        # What became of a command its event tells alone: those behind it in the queue run all the same.
        events = [cl.enqueue_copy(self.queue, self.first, values, is_blocking=False)]
        events += [self.add(self.queue, (N,), (64,), self.first, numpy.int32(turn)) for _ in range(3)]
        events.append(self.spin(self.queue, (N,), (64,), self.first, self.second, numpy.int32(200)))
        results = [numpy.empty_like(values), numpy.empty_like(values)]
        events.append(cl.enqueue_copy(self.queue, results[0], self.first, is_blocking=turn % 2 == 0))
        events.append(cl.enqueue_copy(self.queue, results[1], self.second))
        self.queue.finish()
        for event in events:
            event.wait()
        self.where = []  # of each result: how many are wrong, the first and the last of them, what it is and should be
        for result, right in zip(results, (values + 3 * turn, expected(values + 3 * turn, 200))):
            wrong = numpy.flatnonzero(result != right)
            self.where.append([len(wrong), *(map(int, (wrong[0], wrong[-1], result[wrong[0]], right[wrong[0]])) if len(wrong) else ())])
        return sum(one[0] for one in self.where)


def main():
    platform, = cl.get_platforms()
    context = cl.Context(platform.get_devices())
    program = cl.Program(context, SOURCE).build(cache_dir=False)
    rounds, wrong, errors, where, end = 0, 0, [], [], time.monotonic() + float(sys.argv[1])
    print("started", flush=True)
    while time.monotonic() < end:
        rounds += 1
        try:
            one = Round(context, program)
            if count := one.wrong(rounds):
                wrong += count
                where.append([rounds, *one.where])
        except cl.Error as error:
            errors.append(str(error))
    print(json.dumps({"rounds": rounds, "wrong": wrong, "where": where, "errors": errors}))


main()
