# SPDX-License-Identifier: Apache-2.0
"""What a launch leaves, for tests of checked runs: launches may fail, and their buffers are read all the same."""
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
