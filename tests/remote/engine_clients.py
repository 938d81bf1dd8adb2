#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of the remote engine for tests/remote: each function is one, called by name with addresses of servers and started in the
network of the client. It prints one JSON document.

    engine_clients.py NAME LIBRARY ADDRESS…
"""
import ctypes
import json
import os
import sys
import threading
import time

import numpy

from engine_options import options  # a client, called by name: pylint: disable=unused-import

SPIN = """kernel void spin(global float *x, int rounds) {
  size_t i = get_global_id(0);
  float v = x[i];
  for (int r = 0; r < rounds; ++r) v = v * 1.0000001f + 1e-7f;
  x[i] = v;
}"""
ADD = "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }"


class Engine:
    """The library with its servers named, and OpenCL over it alone."""

    def __init__(self, library, addresses):
        os.environ.setdefault("OCL_ICD_VENDORS", library)
        os.environ["PYOPENCL_NO_CACHE"] = "1"
        self.library = ctypes.CDLL(library)
        self.library.pocl_remote_device_server.restype = ctypes.c_char_p
        self.library.pocl_remote_device_server.argtypes = [ctypes.c_void_p]
        texts = (ctypes.c_char_p * len(addresses))(*[a.encode() for a in addresses])
        self.set_status = self.library.pocl_remote_set_servers(texts, len(addresses))
        start = time.monotonic()
        import pyopencl
        self.cl = pyopencl
        self.devices = []
        self.others = []  # devices of other drivers, where the caller has named any
        try:
            for platform in pyopencl.get_platforms():
                for device in platform.get_devices():
                    (self.devices if self.server_of(device) else self.others).append(device)
        except pyopencl.Error:
            pass
        self.seconds = time.monotonic() - start

    def count(self, index):
        reason = ctypes.create_string_buffer(256)
        devices = self.library.pocl_remote_server_devices(index, reason, 256)
        return devices, reason.value.decode()

    def server_of(self, device):
        answer = self.library.pocl_remote_device_server(device.int_ptr)
        return answer.decode() if answer else None

    def queue(self, device=0):
        context = self.cl.Context([self.devices[device]])
        return context, self.cl.CommandQueue(context)

    def buffer(self, context, array):
        return self.cl.Buffer(context, self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR, hostbuf=array)


def listing(engine, addresses):
    late = engine.library.pocl_remote_set_servers((ctypes.c_char_p * 1)(b"127.0.0.1:1"), 1)
    return {"seconds": engine.seconds, "devices": [d.name for d in engine.devices], "late": late,
            "set": engine.set_status, "of": [engine.server_of(d) for d in engine.devices],
            "foreign": engine.library.pocl_remote_device_server(id(engine)),
            "servers": [engine.count(i) for i in range(len(addresses) + 1)]}


def rectangles(engine, addresses):
    """Reads and writes of every mixture of pitches; what lies between host rows keeps its bytes."""
    cl = engine.cl
    context, queue = engine.queue()
    random = numpy.random.default_rng(7)
    wrong = []
    for case in range(40):
        width, height, depth = (int(n) for n in random.integers(1, (70, 9, 5)))
        device_row, host_row = width + int(random.integers(0, 9)), width + int(random.integers(0, 9)) * (case % 3 > 0)
        device_slice = device_row * (height + int(random.integers(0, 3)))
        host_slice = host_row * (height + int(random.integers(0, 3)) * (case % 2))
        origin = [int(n) for n in random.integers(0, (min(3, device_row - width + 1), 1, 2))]
        device = random.integers(0, 255, device_slice * (depth + 2) + 64, dtype=numpy.uint8)
        host = random.integers(0, 255, host_slice * (depth + 1) + 64, dtype=numpy.uint8)
        rows = [(z, y) for z in range(depth) for y in range(height)]
        at_device = [origin[0] + (origin[1] + y) * device_row + (origin[2] + z) * device_slice for z, y in rows]
        at_host = [y * host_row + z * host_slice for z, y in rows]
        memory = engine.buffer(context, device)
        pitches = {"buffer_pitches": (device_row, device_slice), "host_pitches": (host_row, host_slice)}
        got, expected = host.copy(), host.copy()
        for d, h in zip(at_device, at_host):
            expected[h:h + width] = device[d:d + width]
        cl.enqueue_copy(queue, got, memory, buffer_origin=origin, host_origin=(0, 0, 0), region=(width, height, depth),
                        is_blocking=False, **pitches)
        queue.finish()
        if not numpy.array_equal(got, expected):
            wrong.append(["read", width, height, depth, host_row, host_slice])
        cl.enqueue_copy(queue, memory, host, buffer_origin=origin, host_origin=(0, 0, 0), region=(width, height, depth),
                        is_blocking=False, **pitches)
        for d, h in zip(at_device, at_host):
            device[d:d + width] = host[h:h + width]
        back = numpy.empty_like(device)
        cl.enqueue_copy(queue, back, memory)
        if not numpy.array_equal(back, device):
            wrong.append(["write", width, height, depth, host_row, host_slice])
    return {"wrong": wrong}


def images(engine, addresses):
    cl = engine.cl
    if not engine.devices[0].image_support:
        return {"skipped": "the device has no images"}
    context, queue = engine.queue()
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    image = cl.Image(context, cl.mem_flags.READ_WRITE, form, shape=(13, 7))
    host = numpy.random.default_rng(3).integers(0, 255, 7 * 64, dtype=numpy.uint8)
    cl.enqueue_copy(queue, image, host, origin=(0, 0), region=(13, 7), pitches=(64,), is_blocking=False)
    queue.finish()
    got = numpy.full(7 * 80, 99, numpy.uint8)
    cl.enqueue_copy(queue, got, image, origin=(0, 0), region=(13, 7), pitches=(80,), is_blocking=False)
    queue.finish()
    expected = numpy.full(7 * 80, 99, numpy.uint8)
    for y in range(7):
        expected[y * 80:y * 80 + 52] = host[y * 64:y * 64 + 52]
    return {"right": bool(numpy.array_equal(got, expected))}


def adds(engine, addresses):
    """Many small launches on every device, and bulk data, with their sums."""
    cl = engine.cl
    wrong = 0
    for index in range(len(engine.devices)):
        context, queue = engine.queue(index)
        kernel = cl.Kernel(cl.Program(context, ADD).build(), "add")
        array = numpy.arange(1 << 18, dtype=numpy.int32)
        memory = engine.buffer(context, array)
        for n in range(50):
            kernel(queue, (len(array),), None, memory, numpy.int32(n))
        got = numpy.empty_like(array)
        cl.enqueue_copy(queue, got, memory)
        wrong += int((got != array + sum(range(50))).sum())
    return {"devices": len(engine.devices), "wrong": wrong}


def timed_kernel(engine):
    """A kernel over `array` in `memory`, and how many rounds of it take a second."""
    cl = engine.cl
    context, queue = engine.queue()
    kernel = cl.Kernel(cl.Program(context, SPIN).build(), "spin")
    array = numpy.ones(1 << 12, numpy.float32)
    memory = engine.buffer(context, array)

    def take(rounds):
        start = time.monotonic()
        kernel(queue, (len(array),), None, memory, numpy.int32(rounds)).wait()
        return time.monotonic() - start

    take(10)
    rounds = 1000
    while (taken := take(rounds)) < 0.2:
        rounds *= 2
    return context, queue, kernel, array, memory, rounds / taken


def long_launch(engine, seconds):
    """A launch of about so many seconds, under way."""
    context, queue, kernel, array, memory, rounds = timed_kernel(engine)
    return context, queue, kernel, array, memory, kernel(queue, (len(array),), None, memory, numpy.int32(int(rounds * seconds)))


def two_pocls(engine, addresses):
    """A far device and this host's own PoCL in one process, one after the other and at once."""
    cl = engine.cl
    ends = []
    for device in (engine.devices[0], engine.others[0]) * 2:
        context = cl.Context([device])
        queue = cl.CommandQueue(context)
        kernel = cl.Kernel(cl.Program(context, ADD).build(), "add")
        array = numpy.arange(1 << 16, dtype=numpy.int32)
        memory = engine.buffer(context, array)
        for n in range(20):
            kernel(queue, (len(array),), None, memory, numpy.int32(n))
        got = numpy.empty_like(array)
        ends.append((cl.enqueue_copy(queue, got, memory, is_blocking=False), got, array + sum(range(20)), memory, queue))
    for event, *_ in ends:
        event.wait()
    return {"wrong": sum(int((got != expected).sum()) for _, got, expected, *_ in ends),
            "far": len(engine.devices), "own": [d.platform.version for d in engine.others]}


def one_launch(engine, addresses):
    launched = long_launch(engine, 3)
    start = time.monotonic()
    launched[-1].wait()
    return {"seconds": time.monotonic() - start}


def order(engine, addresses):
    """Commands that wait for others in one queue, sent before those have ended: host memory is read and written in the queue's order."""
    cl = engine.cl
    context, queue, kernel, array, memory, launch = long_launch(engine, 0.5)
    large = numpy.arange(1 << 22, dtype=numpy.int32)
    first, second = engine.buffer(context, large), cl.Buffer(context, cl.mem_flags.READ_WRITE, large.nbytes)
    wrong = []
    for turn in range(5):
        host, back = numpy.zeros_like(large), numpy.zeros_like(large)
        # The read's bytes are written elsewhere from where they have not arrived yet; the event behind the read tells of it, too.
        launch = kernel(queue, (len(array),), None, memory, numpy.int32(100000))
        # An event of PyOpenCL's that is let go waits for its end.
        held = [cl.enqueue_copy(queue, *ends, is_blocking=False) for ends in ((host, first), (second, host), (back, second))]
        last = kernel(queue, (len(array),), None, memory, numpy.int32(1))
        last.wait()
        wrong += [turn] if (host != large).any() or (back != large).any() else []
        wrong += [f"{turn}: earlier events"] if any(event.command_execution_status != 0 for event in (launch, *held)) else []
        # A launch's answer is short, that of the read before it is not.
        host = numpy.zeros_like(large)
        launch = kernel(queue, (len(array),), None, memory, numpy.int32(100000))
        read = cl.enqueue_copy(queue, host, first, is_blocking=False)
        kernel(queue, (len(array),), None, memory, numpy.int32(1)).wait()
        wrong += [f"{turn}: a read behind which a launch has ended"] if (host != large).any() else []
        read.wait()
    return {"wrong": wrong}


def early_write(engine, addresses):
    """A write whose call does not wait, behind a launch that takes longer than silence is borne: its server is not lost."""
    cl = engine.cl
    context, queue, kernel, array, memory, rounds = timed_kernel(engine)
    values = numpy.arange(1 << 18, dtype=numpy.int32)
    target, back = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes), numpy.zeros_like(values)
    start = time.monotonic()
    events = [kernel(queue, (len(array),), None, memory, numpy.int32(int(rounds * seconds))) for seconds in (0.3, 6)]
    events.append(cl.enqueue_copy(queue, target, values, is_blocking=False))
    try:
        queue.finish()
        cl.enqueue_copy(queue, back, target)
        failed = ""
    except cl.Error as error:
        failed = str(error)
    statuses = [event.command_execution_status for event in events]
    return {"failed": failed, "wrong": int((back != values).sum()), "statuses": statuses, "seconds": time.monotonic() - start}


def two_queues(engine, addresses):
    """One kernel with other arguments in two queues, a launch of which waits at the server while one of the other is set and runs."""
    cl = engine.cl
    context, queue, spin, array, memory, rounds = timed_kernel(engine)
    other = cl.CommandQueue(context)
    add = cl.Kernel(cl.Program(context, ADD).build(), "add")
    one, two = (engine.buffer(context, numpy.zeros(64, numpy.int32)) for _ in range(2))
    spin(queue, (len(array),), None, memory, numpy.int32(int(rounds / 2)))
    first = add(queue, (64,), None, one, numpy.int32(1))
    queue.flush()
    add(other, (64,), None, two, numpy.int32(10)).wait()
    first.wait()
    add(other, (64,), None, two, numpy.int32(10)).wait()
    got = numpy.zeros((2, 64), numpy.int32)
    for values, buffer in zip(got, (one, two)):
        cl.enqueue_copy(queue, values, buffer)
    return {"sums": sorted({(int(a), int(b)) for a, b in got.T})}


def refused(engine, addresses):
    """A launch that the server's driver refuses, behind another one and before a third: what waits for it fails, and the queue goes on."""
    cl = engine.cl
    context, queue, kernel, array, memory, rounds = timed_kernel(engine)
    program = cl.Program(context, "kernel void large(global int *x) { local int y[1 << 24]; y[get_local_id(0)] = 1; x[get_global_id(0)] += y[0]; }").build()
    counts = engine.buffer(context, numpy.zeros(64, numpy.int32))
    first = kernel(queue, (len(array),), None, memory, numpy.int32(int(rounds / 2)))
    wrong = program.large(queue, (64,), (64,), counts)  # more local memory than there is
    behind = kernel(queue, (len(array),), None, memory, numpy.int32(1))
    queue.flush()
    end = time.monotonic() + 20
    statuses = {}
    while time.monotonic() < end:
        statuses = {name: event.command_execution_status for name, event in (("first", first), ("wrong", wrong), ("behind", behind))}
        if all(status <= 0 for status in statuses.values()):
            break
        time.sleep(0.05)
    after = kernel(queue, (len(array),), None, memory, numpy.int32(1))
    queue.flush()
    while after.command_execution_status > 0 and time.monotonic() < end:
        time.sleep(0.05)
    print(json.dumps({**statuses, "after": after.command_execution_status}), flush=True)
    os._exit(0)  # an event of PyOpenCL's that is let go waits for its end


def times(engine, addresses):
    """Of commands that wait for each other in one queue, when each ran by the server's clock: start and end in milliseconds from the first start."""
    cl = engine.cl
    context = cl.Context([engine.devices[0]])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    kernel = cl.Kernel(cl.Program(context, SPIN).build(), "spin")
    array = numpy.ones(1 << 15, numpy.float32)
    memory, got = engine.buffer(context, array), numpy.empty_like(array)
    rows = []
    for _ in range(3):
        events = [cl.enqueue_copy(queue, memory, array, is_blocking=False), kernel(queue, (len(array),), None, memory, numpy.int32(20000)),
                  cl.enqueue_copy(queue, got, memory, is_blocking=False)]
        queue.finish()
        first = events[0].profile.start
        rows.append([[(event.profile.start - first) / 1e6, (event.profile.end - first) / 1e6] for event in events])
    return {"rows": rows}


def churn(engine, addresses):
    """Makes, uses and frees objects until the device is lost; counts wrong bytes in what ended well."""
    cl = engine.cl
    rounds, wrong, start = 0, 0, time.monotonic()
    print(json.dumps({"started": True}), flush=True)
    try:
        while time.monotonic() - start < 8:
            context, queue = engine.queue()
            kernel = cl.Kernel(cl.Program(context, ADD).build(), "add")
            array = numpy.arange(1 << 18, dtype=numpy.int32)
            memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, array.nbytes)
            cl.enqueue_copy(queue, memory, array, is_blocking=False)
            launches = [kernel(queue, (len(array),), None, memory, numpy.int32(1)) for _ in range(5)]
            got = numpy.zeros_like(array)
            cl.enqueue_copy(queue, got, memory, is_blocking=rounds % 2 == 0)
            queue.finish()
            launches[-1].wait()
            wrong += int((got != array + 5).sum())
            rounds += 1
    except cl.Error as error:
        return {"rounds": rounds, "wrong": wrong, "error": str(error), "seconds": time.monotonic() - start}
    return {"rounds": rounds, "wrong": wrong, "error": "", "seconds": time.monotonic() - start}


def hold(engine, addresses):
    """Keeps a session with a launch under way until it is killed."""
    launched = long_launch(engine, 2)
    launched[1].flush()
    print(json.dumps({"launched": True}), flush=True)
    time.sleep(60)


def lost(engine, addresses):
    """A launch that takes long, a read behind it, and what calls say when the server is lost meanwhile."""
    cl = engine.cl
    context, queue, kernel, array, memory, launch = long_launch(engine, 6)
    got, blocking = numpy.full_like(array, 5), numpy.full_like(array, 5)
    read = cl.enqueue_copy(queue, got, memory, is_blocking=False)
    queue.flush()
    print(json.dumps({"launched": True}), flush=True)
    start = time.monotonic()
    calls = {}

    def call(name, function):
        try:
            calls[name] = [function(), time.monotonic() - start]
        except cl.Error as error:
            calls[name] = [f"{type(error).__name__}: {error}", time.monotonic() - start]

    waits = [threading.Thread(target=call, args=("wait", lambda: launch.wait() and None)),
             threading.Thread(target=call, args=("finish", queue.finish)),
             threading.Thread(target=call, args=("blocking read", lambda: cl.enqueue_copy(queue, blocking, memory) and None))]
    for thread in waits:
        thread.daemon = True
        thread.start()
    while read.command_execution_status > 0 and time.monotonic() - start < 30:
        time.sleep(0.01)
    calls["read"] = [int(read.command_execution_status), time.monotonic() - start]
    calls["launch"] = [int(launch.command_execution_status), time.monotonic() - start]
    for thread in waits:
        thread.join(5)
    calls["blocked"] = sum(thread.is_alive() for thread in waits)
    untouched = bool((got == 5).all())
    call("available", lambda: bool(engine.devices[0].available))
    call("enqueue", lambda: kernel(queue, (64,), None, memory, numpy.int32(1)) and None)
    call("buffer", lambda: engine.buffer(context, array) and None)
    call("copy", lambda: cl.enqueue_copy(queue, got, memory) and None)
    call("program", lambda: cl.Program(context, ADD).build() and None)
    call("queue", lambda: cl.CommandQueue(context) and None)
    del memory, kernel, queue, context
    return {"calls": calls, "untouched": untouched, "end": time.monotonic() - start}


def main():
    name, library, addresses = sys.argv[1], sys.argv[2], sys.argv[3:]
    print(json.dumps(globals()[name](Engine(library, addresses), addresses)), flush=True)


if __name__ == "__main__":
    main()
