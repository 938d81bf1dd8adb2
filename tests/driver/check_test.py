#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SKMD_CHECK=1 and stop: what applications see of accesses outside of their buffers and of other traps. The kernels run in a
pyopencl program (this script with --child) under skmd-run, in a program in C, and in bench/trap.

usage: check_test.py BUILD
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = """// The kernels' lines are counted
// from here on,
// across comments of
// any
// length
// and
// what
// the
// preprocessor
// takes
// out.
#define ONE 1
__kernel void shift(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  out[i] = in[i + ONE];
}
__kernel void right(__global int *out) { out[get_global_id(0)] = get_group_id(0) + get_num_groups(0); }
"""
# Where bench/trap traps, in which way, and on what.
TRAPS = (("half", "out_of_bounds", {}), ("half", "division_by_zero", {"threads": 2}), ("half", "terminated", {"threads": 1}),
         ("first", "out_of_bounds", {"threads": 1}), ("last", "division_by_zero", {"threads": 1}), ("last", "terminated", {}),
         ("first", "terminated", {"devices": "cpu@discrete"}), ("never", "out_of_bounds", {}))
MESSAGE = re.compile(r"kernel shift, line 15: reads 4 bytes at offset 256 of in, which has 256 bytes$", re.M)


def status_of(cl, event):
    """An event that failed is only told of when it is waited for."""
    try:
        event.wait()
    except cl.Error as error:
        assert error.code == cl.status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, error
    return event.command_execution_status


def launch(cl, queue, kernel, *arguments):
    return status_of(cl, kernel(queue, (64,), (16,), *arguments))


def child(case):
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    flags = cl.mem_flags.READ_WRITE
    values = np.arange(1, 129, dtype=np.int32)
    large = cl.Buffer(context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    small = cl.Buffer(context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=values[:64])
    out = cl.Buffer(context, flags, 256)
    result = np.empty(64, np.int32)
    assert launch(cl, queue, program.shift, large, out) == 0
    cl.enqueue_copy(queue, result, out)
    assert (result == values[1:65]).all()
    bad = large.get_sub_region(0, 256) if case == "sub_buffer" else small
    failed = program.shift(queue, (64,), (16,), bad, out)
    behind = program.right(queue, (64,), (16,), out, wait_for=[failed])
    assert status_of(cl, failed) == (-1108 if case == "stop" else cl.status_code.OUT_OF_RESOURCES), failed
    assert status_of(cl, behind) == cl.status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, behind
    # The context is as good as before, and the next kernel's results are right.
    assert launch(cl, queue, program.right, out) == 0
    cl.enqueue_copy(queue, result, out)
    assert (result == np.arange(64) // 16 + 4).all()
    print("child ok")


CALLBACK = r"""
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int calls;
static void CL_CALLBACK told(const char* text, const void* bytes, size_t size, void* user) {
  (void)bytes, (void)size, (void)user;
  printf("told: %s\n", text);
  calls = 1;
}
int main(int argc, char** argv) {
  (void)argc;
  cl_platform_id platform; cl_device_id device; cl_int status; cl_event event;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, told, NULL, &status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  const char* source = argv[1];
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  clBuildProgram(program, 0, NULL, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "shift", &status);
  cl_mem in = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &status);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &status);
  clSetKernelArg(kernel, 0, sizeof in, &in);
  clSetKernelArg(kernel, 1, sizeof out, &out);
  size_t items = 64;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event);
  status = clWaitForEvents(1, &event);
  for (int i = 0; i < 60000 && !calls; ++i) usleep(1000);  // it comes from another thread
  printf("wait: %d\n", status);
  fflush(stdout);
  return status < 0 ? 0 : 1;
}
"""


TERMINATION = r"""
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
static const char* source =
  "kernel void end(global int* out, int how) {\n"
  "#ifdef cl_arm_controlled_kernel_termination\n"
  "  if (how == 1 && get_global_id(0) == 70) arm_terminate_kernel(ARM_TERMINATION_SUCCESS);\n"
  "  if (how == 2 && get_global_id(0) == 70) arm_terminate_kernel(ARM_TERMINATION_FAILURE);\n"
  "#endif\n"
  "  out[how == 3 ? -1 : 0] = 1;\n"
  "}\n";
int main(void) {
  cl_platform_id platform; cl_device_id device; cl_int status;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  cl_bitfield offered = 0;
  status = clGetDeviceInfo(device, CL_DEVICE_CONTROLLED_TERMINATION_CAPABILITIES_ARM, sizeof offered, &offered, NULL);
  printf("capabilities %d %d\n", status, (int)offered);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  if (clBuildProgram(program, 0, NULL, "", NULL, NULL) != CL_SUCCESS) return 1;
  cl_kernel kernel = clCreateKernel(program, "end", &status);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, &status);
  clSetKernelArg(kernel, 0, sizeof out, &out);
  for (cl_int how = 0; how < (offered ? 4 : 3); ++how) {
    size_t items = 65536, local = 64;
    cl_event event;
    cl_int end = 0;
    cl_uint reason = 99;
    clSetKernelArg(kernel, 1, sizeof how, &how);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, &event);
    clWaitForEvents(1, &event);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof end, &end, NULL);
    status = clGetEventInfo(event, CL_EVENT_COMMAND_TERMINATION_REASON_ARM, sizeof reason, &reason, NULL);
    printf("end %d: %d %d %u\n", how, end, status, reason);
  }
  cl_event event;
  cl_uint reason;
  int word = 0;
  clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof word, &word, 0, NULL, &event);
  printf("write %d\n", clGetEventInfo(event, CL_EVENT_COMMAND_TERMINATION_REASON_ARM, sizeof reason, &reason, NULL));
  return 0;
}
"""


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(build, command, folder, devices="cpu", **variables):
    stats = os.path.join(folder, "stats.json")
    environment = {**os.environ, "POCL_DEVICES": "pthread basic", "SKMD_LOG": "error", "SKMD_CHECK": "1", **variables}
    done = subprocess.run([f"{build}/bin/skmd-run", "--devices", devices, "--stats", stats, "--cache-dir",
                           f"{build}/tests/driver/cache", "--", *command], env=environment, capture_output=True, text=True,
                          timeout=300)
    document = None
    if os.path.exists(stats):
        with open(stats, encoding="utf-8") as file:
            document = json.load(file)
    return done, document


def check_child(build, case, **settings):
    with tempfile.TemporaryDirectory() as folder:
        done, stats = run(build, [sys.executable, os.path.abspath(__file__), "--child", case], folder, **settings)
    expect(done.returncode == 0 and "child ok" in done.stdout, f"{case}: {done.stdout}{done.stderr}")
    expect(MESSAGE.search(done.stderr), f"{case}: the log does not say what happened: {done.stderr}")
    expect("launch of shift failed: " in done.stderr, done.stderr)
    expect([device["backend"] for device in stats["devices"]] == ["cpu-driver"], f"devices: {stats['devices']}")
    traps = stats["traps"]
    expect(traps["first"] == [{"kernel": "shift", "line": 15, "kind": "out_of_bounds", "item": [63, 0, 0]}], f"{case}: {traps}")
    expect(traps["count"] == 1 and traps["never_ran"] == 0, f"{case}: {traps}")  # it is the last group's last item


def built(text, folder):
    """The path of the program that the C text is."""
    source, program = os.path.join(folder, "told.c"), os.path.join(folder, "told")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(["cc", "-DCL_TARGET_OPENCL_VERSION=120", source, "-lOpenCL", "-o", program], check=True)
    return program


def check_termination(build):
    """cl_arm_controlled_kernel_termination is offered where it holds, and nowhere else."""
    with tempfile.TemporaryDirectory() as folder:
        program = built(TERMINATION, folder)
        done, stats = run(build, [program], folder, SKMD_CHECK="stop")
        # Complete, ended well, ended badly, and another trap, which ends a launch likewise. The reason of no kernel is an error.
        expect(done.stdout.splitlines() == ["capabilities 0 7", "end 0: 0 0 0", "end 1: 0 0 1", "end 2: -1108 0 2", "end 3: -1108 0 2",
                                            "write -58"], done.stdout + done.stderr)
        kinds = [trap["kind"] for trap in stats["traps"]["first"]]
        expect(kinds == ["terminated", "terminated", "out_of_bounds"], f"{stats['traps']}")
        expect(stats["traps"]["never_ran"] > 0, f"{stats['traps']}")
        for mode in ("0", "1"):
            done, _ = run(build, [program], folder, SKMD_CHECK=mode)
            lines = done.stdout.splitlines()
            expect(lines[:4] == ["capabilities -30 0", "end 0: 0 -30 99", "end 1: 0 -30 99", "end 2: 0 -30 99"], done.stdout)


def check_trap(build, at, kind, threads=0, devices="cpu"):
    """bench/trap compares the groups' results itself."""
    variables = {"SKMD_CPU_THREADS": str(threads)} if threads else {}
    with tempfile.TemporaryDirectory() as folder:
        done, stats = run(build, [f"{build}/bench/trap", "--at", at, "--kind", kind, "--check"], folder, devices=devices,
                          SKMD_CHECK="stop", **variables)
    expect(done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}")
    told, traps = json.loads(done.stdout), stats["traps"]
    expect(told["ok"] is True, done.stdout)
    if at == "never":
        expect(traps == {"count": 0, "never_ran": 0, "left_items": 0, "left_groups": 0, "why_not": {}, "first": []} and told["status"] == 0, f"{traps} {told}")
        return
    expect(traps["count"] == 1, f"{traps}")
    expect(traps["first"] == [{"kernel": "trap", "line": told["line"], "kind": kind, "item": [told["item"], 0, 0]}], f"{traps}")
    if "discrete" not in devices:  # where results of a launch that failed are not fetched
        expect(traps["never_ran"] == told["untouched_groups"], f"{traps} {told}")
    if threads == 1:  # groups run in order
        expect(traps["never_ran"] == told["groups"] - 1 - told["item"] // 64, f"{traps} {told}")


def check_callback(build):
    with tempfile.TemporaryDirectory() as folder:
        done, _ = run(build, [built(CALLBACK, folder), SOURCE], folder)
    expect(done.returncode == 0, f"the event did not fail: {done.stdout}")
    told = [line[6:] for line in done.stdout.splitlines() if line.startswith("told: ")]
    expect(any(MESSAGE.search(text) for text in told), f"the context's callback was told {told}")


def check_settings(build):
    application = [f"{build}/bench/vector_add", "--size", "small", "--check"]
    for devices, variables, text in (("portable:basic", {}, "SKMD_CHECK needs the host CPU"),
                                     ("cpu", {"SKMD_TEST_CPU_DRIVER": "0"}, "SKMD_CHECK needs the CPU driver"),
                                     ("cpu", {"SKMD_CHECK": "yes"}, "SKMD_CHECK=yes: expected 0, 1, stop or deopt"),
                                     ("cpu", {"SKMD_CHECK": "gpu"}, "SKMD_CHECK=gpu: expected 0, 1, stop or deopt")):
        with tempfile.TemporaryDirectory() as folder:
            done, _ = run(build, application, folder, devices=devices, **variables)
        expect(done.returncode != 0 and text in done.stderr, f"{devices} {variables}: {done.stderr}")
    # Without it nothing is checked, and the same kernel ends well.
    with tempfile.TemporaryDirectory() as folder:
        done, stats = run(build, application, folder, devices="cpu,portable:basic@discrete", SKMD_CHECK="0",
                          SKMD_TEST_CPU_DRIVER="1")
    expect(done.returncode == 0 and len(stats["devices"]) == 2, f"unchecked: {done.stderr}")


def check_workloads(build):
    for workload in ("nbody", "matrix_multiplication", "histogram", "reduction", "scan_large_arrays", "mersenne_twister"):
        with tempfile.TemporaryDirectory() as folder:
            done, stats = run(build, [f"{build}/bench/{workload}", "--size", "small", "--check"], folder,
                              SKMD_CHECK="stop" if workload in ("nbody", "reduction") else "1")
        expect(done.returncode == 0, f"{workload}: {done.stdout}{done.stderr}")
        expect(stats["traps"] == {"count": 0, "never_ran": 0, "left_items": 0, "left_groups": 0, "why_not": {}, "first": []}, f"{workload}: {stats['traps']}")
        expect(stats["other_cpu_driver"]["launches"] == 0, f"{workload} ran elsewhere")


def main():
    if sys.argv[1] == "--child":
        child(sys.argv[2])
        return 0
    build = sys.argv[1]
    failures = 0
    for name, check in (("whole", lambda: check_child(build, "whole")), ("sub-buffer", lambda: check_child(build, "sub_buffer")),
                        ("of two devices", lambda: check_child(build, "whole", devices="cpu,portable:basic@discrete",
                                                               SKMD_PARTITION="fixed:50,50")),
                        ("discrete", lambda: check_child(build, "whole", devices="cpu@discrete")),
                        ("callback", lambda: check_callback(build)), ("settings", lambda: check_settings(build)),
                        ("stop", lambda: check_child(build, "stop", SKMD_CHECK="stop")),
                        ("termination", lambda: check_termination(build)),
                        *((f"trap at {at}, {kind}, {settings}", lambda at=at, kind=kind, settings=settings: check_trap(build, at, kind, **settings))
                          for at, kind, settings in TRAPS),
                        ("workloads", lambda: check_workloads(build))):
        try:
            check()
        except (Failure, subprocess.SubprocessError) as failure:
            failures += 1
            print(f"FAILED {name}: {failure}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
