// SPDX-License-Identifier: Apache-2.0
// What the device port costs over the vendor's own calls: an empty kernel enqueued and waited for, and enqueued in a
// row. The first argument chooses the device (as SKMD_DEVICES, default "cpu"), SKMD_VENDORS the vendors' folder.
#include <CL/cl_icd.h>
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "intercept/backend/discovery/discovery.h"
#include "intercept/backend/vendor/vendor_driver.h"

namespace skmd::icd {
namespace {

constexpr const char* kEmpty = "kernel void stub_empty(global int* p) {}";
constexpr int kRow = 100;

std::shared_ptr<Device> device;

struct Bare {
  const cl_icd_dispatch* cl = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
};
Bare bare;

std::string vendors_folder() {
  const char* const set = std::getenv("SKMD_VENDORS");
  return set != nullptr ? set : "/etc/OpenCL/vendors";
}

/// The same device by the vendor's own calls; leaked, like everything of a process that only measures.
bool open_bare() {
  auto files = read_icd_files(vendors_folder());
  if (!files) return false;
  for (const IcdFile& file : *files) {
    auto platforms = load_vendor(file.library, "");
    if (!platforms || platforms->front().name != device->description().platform) continue;
    const VendorPlatform& platform = platforms->front();
    cl_device_id ids[16];
    cl_uint count = 0;
    platform.cl->clGetDeviceIDs(platform.id, CL_DEVICE_TYPE_ALL, 16, ids, &count);
    for (cl_uint i = 0; i < count && i < 16; ++i) {
      char name[256] = {};
      platform.cl->clGetDeviceInfo(ids[i], CL_DEVICE_NAME, sizeof name, name, nullptr);
      if (device->description().name != name) continue;
      cl_context context = platform.cl->clCreateContext(nullptr, 1, &ids[i], nullptr, nullptr, nullptr);
      bare.cl = platform.cl;
      bare.queue = bare.cl->clCreateCommandQueue(context, ids[i], CL_QUEUE_PROFILING_ENABLE, nullptr);
      const char* text = kEmpty;
      cl_program program = bare.cl->clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
      bare.cl->clBuildProgram(program, 1, &ids[i], "", nullptr, nullptr);
      bare.kernel = bare.cl->clCreateKernel(program, "stub_empty", nullptr);
      cl_mem memory = bare.cl->clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
      return bare.kernel != nullptr && bare.cl->clSetKernelArg(bare.kernel, 0, sizeof memory, &memory) == CL_SUCCESS;
    }
  }
  return false;
}

cl_event enqueue_bare() {
  const std::size_t one = 1;
  cl_event event = nullptr;
  bare.cl->clEnqueueNDRangeKernel(bare.queue, bare.kernel, 1, nullptr, &one, &one, 0, nullptr, &event);
  bare.cl->clFlush(bare.queue);
  return event;
}

void bare_run_and_wait(benchmark::State& state) {
  for (auto _ : state) {
    cl_event event = enqueue_bare();
    bare.cl->clWaitForEvents(1, &event);
    bare.cl->clReleaseEvent(event);
  }
}

void bare_row(benchmark::State& state) {
  for (auto _ : state) {
    cl_event event = nullptr;
    for (int i = 0; i < kRow; ++i) {
      if (event != nullptr) bare.cl->clReleaseEvent(event);
      event = enqueue_bare();
    }
    bare.cl->clWaitForEvents(1, &event);
    bare.cl->clReleaseEvent(event);
  }
  state.SetItemsProcessed(state.iterations() * kRow);
}

RunOp empty_run() {
  std::string log;
  RunOp run;
  run.kernel = *device->kernel(*device->build(kEmpty, "", log), "stub_empty");
  run.arguments = std::make_shared<const std::vector<NativeArgument>>(
      std::vector<NativeArgument>{BufferArgument{*device->allocate(64, nullptr), 0, 64}});
  return run;
}

Ticket submit_run(const RunOp& run) {
  Batch batch;
  batch.ops.emplace_back(run);
  batch.done = [](BatchResult&& result) { benchmark::DoNotOptimize(result.status); };
  return device->submit(std::move(batch));
}

void port_run_and_help(benchmark::State& state) {
  const RunOp run = empty_run();
  for (auto _ : state) device->help(submit_run(run));
}

void port_row(benchmark::State& state) {
  const RunOp run = empty_run();
  for (auto _ : state) {
    Ticket last = 0;
    for (int i = 0; i < kRow; ++i) last = submit_run(run);
    device->help(last);
  }
  state.SetItemsProcessed(state.iterations() * kRow);
}

void port_without_ops(benchmark::State& state) {
  for (auto _ : state) {
    Batch batch;
    batch.done = [](BatchResult&& result) { benchmark::DoNotOptimize(result.status); };
    device->help(device->submit(std::move(batch)));
  }
}

BENCHMARK(bare_run_and_wait)->UseRealTime();
BENCHMARK(port_run_and_help)->UseRealTime();
BENCHMARK(bare_row)->UseRealTime();
BENCHMARK(port_row)->UseRealTime();
BENCHMARK(port_without_ops)->UseRealTime();

}  // namespace
}  // namespace skmd::icd

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::string selector = argc > 1 ? argv[1] : "cpu";
  auto found =
      skmd::icd::discover({.vendors_folder = skmd::icd::vendors_folder(), .selectors = selector, .own_library = ""});
  if (!found) {
    std::fprintf(stderr, "backend_bench: %s\n", found.error().reason.c_str());
    return 1;
  }
  skmd::icd::device = found->devices.front();
  if (!skmd::icd::open_bare()) {
    std::fprintf(stderr, "backend_bench: the vendor's own calls fail\n");
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  skmd::icd::device.reset();
  return 0;
}
