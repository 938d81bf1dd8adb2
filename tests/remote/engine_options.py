# SPDX-License-Identifier: Apache-2.0
"""The client of the remote engine that builds programs with each of the standard's options."""
OPTIONS = ["-w", "-g", "-DN=n", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL3.0", "-cl-kernel-arg-info", "-cl-opt-disable", "-cl-mad-enable",
           "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-single-precision-constant", "-cl-finite-math-only", "-cl-unsafe-math-optimizations",
           "-cl-fast-relaxed-math", "-cl-uniform-work-group-size"]


def options(engine, addresses):
    """Which options a program cannot be built with, by device, and what groups should be a multiple of on each."""
    refused = []
    for index in range(len(engine.devices)):
        context, _ = engine.queue(index)
        for option in OPTIONS:
            try:
                engine.cl.Program(context, "kernel void f(global int *n) { n[get_global_id(0)] += 1; }").build(options=option)
            except engine.cl.Error as error:
                refused.append([index, option, str(error)])
    multiple = engine.cl.device_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE
    return {"refused": refused, "multiples": [device.get_info(multiple) for device in engine.devices]}
