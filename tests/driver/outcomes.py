# SPDX-License-Identifier: Apache-2.0
"""What launches of a program leave, for tests of checked runs: launches may fail, and their buffers are read all the same."""
import numpy as np
import pyopencl as cl


def outcome(queue, event, buffers, words):
    """-> the event's status and, of each buffer, as many words as `words` says for it."""
    try:
        event.wait()
    except cl.Error:
        pass
    contents = []
    for buffer, count in zip(buffers, words):
        host = np.empty(count, np.int32)
        cl.enqueue_copy(queue, host, buffer)
        contents.append(host.tolist())
    return [event.command_execution_status, contents]


def outcomes(text, launches, seed, items, highest, shape, more=lambda name: []):
    """-> kernel's name -> outcome() of one launch over buffers `out`, `in` (numbers below `highest`) and `at`, drawn from `seed`, and
    the number 5. `launches`: names; the kernel `ends` is launched, too, where the device can end kernels. `shape`: of a name, global
    and local size and offset. `more`: of a name, further arguments."""
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, text).build()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    numbers = np.random.default_rng(seed)
    given = [numbers.integers(0, 99, items, dtype=np.int32), numbers.integers(-4, highest, items + 8, dtype=np.int32),
             numbers.integers(0, 12, items + 4, dtype=np.int32)]
    given[2][numbers.integers(0, items, 3)] = 77
    ends = ["ends"] if "cl_arm_controlled_kernel_termination" in device.extensions else []
    results = {}
    for name in launches + ends:
        buffers = [cl.Buffer(context, flags, hostbuf=content) for content in given]
        kernel = getattr(program, name)
        kernel.set_args(*buffers, np.int32(5), *more(name))
        size, local, offset = shape(name)
        event = cl.enqueue_nd_range_kernel(queue, kernel, size, local, global_work_offset=offset)
        results[name] = outcome(queue, event, buffers, map(len, given))
    return results
