// SPDX-License-Identifier: Apache-2.0
// What a call costs: clSetKernelArg, calls that only look or are refused, an empty kernel with clFinish, launches in a
// row, building a program again. An
// ordinary OpenCL application: run it against a driver and against the virtual device over that driver; the difference
// is what SKMD adds.
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr const char* kSource = "__kernel void stub_empty(__global int *data) { }\n";

[[noreturn]] void fail(const char* what, cl_int code) {
  std::fprintf(stderr, "call_cost: %s failed with %d\n", what, code);
  std::exit(2);
}

void check(cl_int code, const char* what) {
  if (code != CL_SUCCESS) fail(what, code);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Spread {
  double median = 0, low = 0, high = 0;  // 10th and 90th percentile
};

template <class Function>
Spread measure(int repeats, double per, Function&& function) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const double begin = now();
    function();
    seconds.push_back((now() - begin) / per);
  }
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double q) {
    return seconds[static_cast<std::size_t>(q * static_cast<double>(seconds.size() - 1))];
  };
  return {at(0.5), at(0.1), at(0.9)};
}

struct Application {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem buffers[2] = {nullptr, nullptr};
  std::string device_name;
};

cl_program build(const Application& app) {
  cl_int code = CL_SUCCESS;
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(app.context, 1, &source, nullptr, &code);
  check(code, "clCreateProgramWithSource");
  check(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
  return program;
}

/// The first platform's device `index`: choose the driver with OCL_ICD_VENDORS.
Application open_device(cl_uint index) {
  Application app;
  cl_platform_id platform = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  cl_device_id devices[8] = {};
  cl_uint count = 0;
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices, &count), "clGetDeviceIDs");
  if (index >= count) fail("choosing the device: fewer devices than that; clGetDeviceIDs", static_cast<cl_int>(count));
  char name[256] = {};
  check(clGetDeviceInfo(devices[index], CL_DEVICE_NAME, sizeof name, name, nullptr), "clGetDeviceInfo");
  app.device_name = name;
  cl_int code = CL_SUCCESS;
  app.context = clCreateContext(nullptr, 1, &devices[index], nullptr, nullptr, &code);
  check(code, "clCreateContext");
  app.queue = clCreateCommandQueue(app.context, devices[index], 0, &code);
  check(code, "clCreateCommandQueue");
  app.kernel = clCreateKernel(build(app), "stub_empty", &code);
  check(code, "clCreateKernel");
  for (cl_mem& buffer : app.buffers) {
    buffer = clCreateBuffer(app.context, CL_MEM_READ_WRITE, 4096, nullptr, &code);
    check(code, "clCreateBuffer");
  }
  return app;
}

void launch(Application& app) {
  const std::size_t global = 64, local = 64;
  check(clEnqueueNDRangeKernel(app.queue, app.kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
}

void print(const char* name, const Spread& s, double scale, const char* end) {
  std::printf("\"%s\":{\"median\":%.4g,\"p10\":%.4g,\"p90\":%.4g}%s", name, s.median * scale, s.low * scale,
              s.high * scale, end);
}

/// Nanoseconds of one call that does no work: it looks something up, or finds that an argument is wrong.
template <class Call>
void print_light(const char* name, Call&& call) {
  constexpr int kCalls = 20000;
  for (int i = 0; i < kCalls; ++i) call();
  const Spread s = measure(30, kCalls, [&] {
    for (int i = 0; i < kCalls; ++i) call();
  });
  print(name, s, 1e9, ",");
}

void print_light_calls(Application& app) {
  cl_event event = nullptr;
  const std::size_t one = 1;
  check(clEnqueueNDRangeKernel(app.queue, app.kernel, 1, nullptr, &one, nullptr, 0, nullptr, &event),
        "clEnqueueNDRangeKernel");
  check(clFinish(app.queue), "clFinish");
  cl_uint word = 0;
  print_light("retain_and_release_event_ns", [&] { clRetainEvent(event), clReleaseEvent(event); });
  print_light("get_event_info_ns",
              [&] { clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof word, &word, nullptr); });
  print_light("get_kernel_info_ns",
              [&] { clGetKernelInfo(app.kernel, CL_KERNEL_NUM_ARGS, sizeof word, &word, nullptr); });
  print_light("refused_set_kernel_arg_ns", [&] { clSetKernelArg(app.kernel, 9, sizeof(cl_mem), &app.buffers[0]); });
  print_light("refused_launch_ns",
              [&] { clEnqueueNDRangeKernel(app.queue, app.kernel, 4, nullptr, &one, nullptr, 0, nullptr, nullptr); });
  print_light("refused_read_ns",
              [&] { clEnqueueReadBuffer(app.queue, app.buffers[0], CL_FALSE, 4096, 1, &word, 0, nullptr, nullptr); });
  check(clReleaseEvent(event), "clReleaseEvent");
}

}  // namespace

int main(int argc, char** argv) {
  const cl_uint index = argc > 1 ? static_cast<cl_uint>(std::strtoul(argv[1], nullptr, 10)) : 0;
  Application app = open_device(index);
  check(clSetKernelArg(app.kernel, 0, sizeof(cl_mem), &app.buffers[0]), "clSetKernelArg");
  for (int i = 0; i < 200; ++i) launch(app);
  check(clFinish(app.queue), "clFinish");

  constexpr int kSets = 100000;
  const Spread set = measure(30, kSets, [&] {
    for (int i = 0; i < kSets; ++i) clSetKernelArg(app.kernel, 0, sizeof(cl_mem), &app.buffers[i & 1]);
  });
  std::printf("{\"device\":\"%s\",", app.device_name.c_str());
  print_light_calls(app);
  const Spread alone = measure(2000, 1, [&] {
    launch(app);
    clFinish(app.queue);
  });
  constexpr int kRow = 1000;
  const Spread row = measure(30, kRow, [&] {
    for (int i = 0; i < kRow; ++i) launch(app);
    clFinish(app.queue);
  });
  // The first build has filled all caches.
  const Spread program = measure(30, 1, [&] { clReleaseProgram(build(app)); });
  print("set_kernel_arg_ns", set, 1e9, ",");
  print("empty_kernel_finish_us", alone, 1e6, ",");
  print("pipelined_launch_us", row, 1e6, ",");
  print("cached_build_ms", program, 1e3, "}\n");
  return 0;
}
