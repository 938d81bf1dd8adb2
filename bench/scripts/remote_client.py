#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that remote.py starts on either host to measure a link. Each prints one JSON document.

    remote_client.py copy_server ADDRESS PORT            answers one client after another: a plain TCP copy
    remote_client.py copy ADDRESS PORT BYTES REPEAT      seconds of each copy up and down, with an answer of one byte
    remote_client.py transfers BYTES REPEAT [ENGINE SERVER]   the same by OpenCL, to and from the first device
    remote_client.py calls REPEAT [ENGINE SERVER]        microseconds of an empty kernel with clFinish, and in rows of several lengths
    remote_client.py peers BYTES REPEAT ENGINE SERVER SERVER   seconds of a buffer's way from one server to the other: directly, and by the client

With ENGINE and SERVER the device is the engine's own, without SKMD; else it is that of the one platform that the loader finds.
"""
import ctypes
import json
import os
import socket
import sys
import time

WINDOWS = (1, 4, 16, 64, 200)
ROW = 200
SOURCE = """kernel void empty(global int* x) {}
kernel void count(global const int4* from, global int* to) { size_t i = get_global_id(0); to[i] = from[i].x + 1; }
kernel void fill(global int4* to, int x) { to[get_global_id(0)] = (int4)(x); }"""


def receive(connection, view):
    while view:
        view = view[connection.recv_into(view):]


def copy_server(address, port):
    with socket.create_server((address, int(port))) as listener:
        print("listening", flush=True)
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                size = int.from_bytes(connection.recv(8), "little")
                buffer = memoryview(bytearray(size))
                while connection.recv(1):
                    receive(connection, buffer)
                    connection.sendall(b"!")
                    connection.recv(1)
                    connection.sendall(buffer)


def copy(address, port, size, repeat):
    buffer = memoryview(bytearray(os.urandom(1 << 20)) * (int(size) >> 20))
    up, down = [], []
    with socket.create_connection((address, int(port))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(len(buffer).to_bytes(8, "little"))
        for _ in range(int(repeat)):
            start = time.perf_counter()
            connection.sendall(b"u")
            connection.sendall(buffer)
            connection.recv(1)
            up.append(time.perf_counter() - start)
            start = time.perf_counter()
            connection.sendall(b"d")
            receive(connection, buffer)
            down.append(time.perf_counter() - start)
    print(json.dumps({"up": up, "down": down}))


class Device:
    """The first device of SKMD, or the engine's without it."""

    def __init__(self, engine=None, server=None):
        if engine:
            os.environ["OCL_ICD_VENDORS"] = engine
            library = ctypes.CDLL(engine)
            library.pocl_remote_set_servers((ctypes.c_char_p * 1)(server.encode()), 1)
        os.environ["PYOPENCL_NO_CACHE"] = "1"
        import pyopencl
        self.cl = pyopencl
        device = pyopencl.get_platforms()[0].get_devices()[0]
        self.context = pyopencl.Context([device])
        self.queue = pyopencl.CommandQueue(self.context)
        self.program = pyopencl.Program(self.context, SOURCE).build(cache_dir=False)
        self.name = device.name

    def buffer(self, size):
        return self.cl.Buffer(self.context, self.cl.mem_flags.READ_WRITE, size)


def transfers(size, repeat, *engine):
    """Up: a write and a kernel that reads all of it, less what the kernel takes where the bytes lie. Down: a read after a kernel wrote all."""
    import numpy
    device = Device(*engine)
    size = int(size)
    host = numpy.frombuffer(os.urandom(1 << 20) * (size >> 20), dtype=numpy.uint8).copy()
    there, counts = device.buffer(size), device.buffer(size // 4)
    count, fill = device.program.count, device.program.fill

    def seconds(function):
        start = time.perf_counter()
        function()
        device.queue.finish()
        return time.perf_counter() - start

    def run():
        count(device.queue, (size // 16,), (64,), there, counts)

    def write():
        device.cl.enqueue_copy(device.queue, there, host, is_blocking=True)
        run()

    up, down, kernel = [], [], []
    for turn in range(int(repeat) + 1):
        host[::4096] += 1
        up.append(seconds(write))
        kernel.append(seconds(run))
        seconds(lambda: fill(device.queue, (size // 16,), (64,), there, numpy.int32(turn)))
        down.append(seconds(lambda: device.cl.enqueue_copy(device.queue, host, there, is_blocking=True)))
        if host.view(numpy.int32)[-1] != turn:
            sys.exit("what was read is not what the kernel wrote")
    print(json.dumps({"device": device.name, "up": up[1:], "down": down[1:], "kernel": kernel[1:]}))


def calls(repeat, *engine):
    device = Device(*engine)
    empty, buffer = device.program.empty, device.buffer(4096)
    empty.set_args(buffer)
    enqueue = device.cl.enqueue_nd_range_kernel

    def row(window):
        start = time.perf_counter()
        for first in range(0, ROW, window):
            for _ in range(first, min(first + window, ROW)):
                enqueue(device.queue, empty, (64,), (64,))
            device.queue.finish()
        return (time.perf_counter() - start) / ROW * 1e6

    row(ROW)
    rows = {str(window): [row(window) for _ in range(max(3, int(repeat) // 20))] for window in WINDOWS}
    alone = []
    for _ in range(int(repeat)):
        start = time.perf_counter()
        enqueue(device.queue, empty, (64,), (64,))
        device.queue.finish()
        alone.append((time.perf_counter() - start) * 1e6)
    print(json.dumps({"device": device.name, "alone_us": alone, "row_us": rows}))


def peers(size, repeat, engine, first, second):
    """The servers are named by the engine's own variables: those named by calls, as SKMD does, exchange nothing directly."""
    import numpy
    os.environ |= {"OCL_ICD_VENDORS": engine, "PYOPENCL_NO_CACHE": "1", "POCL_DEVICES": "remote remote", "POCL_REMOTE0_PARAMETERS": f"{first}/0",
                   "POCL_REMOTE1_PARAMETERS": f"{second}/0"}
    import pyopencl
    size = int(size)
    context = pyopencl.Context(pyopencl.get_platforms()[0].get_devices())
    queues = [pyopencl.CommandQueue(context, device) for device in context.devices]
    program = pyopencl.Program(context, SOURCE).build(cache_dir=False)
    count, fill = program.count, program.fill
    there, counts, copy_of = (pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, bytes_of) for bytes_of in (size, size // 4, size))
    host = numpy.zeros(size, numpy.uint8)
    taken = {"directly": [], "by_client": [], "kernel": []}

    def seconds(function):
        start = time.perf_counter()
        function()
        queues[1].finish()
        return time.perf_counter() - start

    def use(buffer):
        return lambda: count(queues[1], (size // 16,), (64,), buffer, counts)

    def by_client():
        pyopencl.enqueue_copy(queues[0], host, there)
        pyopencl.enqueue_copy(queues[1], copy_of, host)
        use(copy_of)()

    for turn in range(int(repeat) + 1):
        for name, way in (("directly", use(there)), ("by_client", by_client)):
            fill(queues[0], (size // 16,), (64,), there, numpy.int32(turn))
            queues[0].finish()
            taken[name].append(seconds(way))
            got = numpy.empty(4, numpy.int32)
            pyopencl.enqueue_copy(queues[1], got, counts)
            if (got != turn + 1).any():
                sys.exit("the other server has other bytes")
        taken["kernel"].append(seconds(use(copy_of)))
    print(json.dumps({name: values[1:] for name, values in taken.items()}))


if __name__ == "__main__":
    {"copy_server": copy_server, "copy": copy, "transfers": transfers, "calls": calls, "peers": peers}[sys.argv[1]](*sys.argv[2:])
