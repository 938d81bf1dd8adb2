// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/session.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "tests/faults/allocations.h"
#include "tests/faults/application.h"

namespace skmd::test {

namespace {

// The kernels that the stub driver knows, by name.
const char* const kSource = R"(
kernel void stub_copy(global const uint* from, global uint* to) { size_t i = get_global_id(0); to[i] = from[i]; }
kernel void stub_count(global uint* counts) { counts[get_global_id(0)] += 1; }
kernel void stub_scatter(global uint* out, global const uint* index) {
  size_t i = get_global_id(0); out[index[i]] = (uint)i; }
kernel void stub_grid(global uint* out, uint width) {
  size_t x = get_global_id(0), y = get_global_id(1); out[y * width + x] = (uint)(1000 * y + x); }
kernel void stub_image(read_only image2d_t from, sampler_t how, global uint* to) {
  to[get_global_id(0)] = read_imageui(from, how, (int2)(0, 0)).x; }
)";

}  // namespace

const char* const kOpaque = R"(
kernel void stub_fill(global uint* out, uint value) { out[get_global_id(0)] = value; asm("nonsense"); }
)";

Words ramp(cl_uint first) {
  Words words(kWords);
  std::iota(words.begin(), words.end(), first);
  return words;
}

bool Session::open() {
  cl_platform_id platform = nullptr;
  if (!world_.went_well(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs")) return false;
  if (!world_.went_well(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs"))
    return false;
  std::array<char, 256> name{};
  world_.went_well(clGetDeviceInfo(device_, CL_DEVICE_NAME, name.size(), name.data(), nullptr), "clGetDeviceInfo");
  cl_int code = 0;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
  if (!world_.went_well(code, "clCreateContext")) return false;
  queue_ = clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &code);
  if (!world_.went_well(code, "clCreateCommandQueue")) return false;
  second_ = clCreateCommandQueue(context_, device_, 0, &code);
  if (!world_.went_well(code, "clCreateCommandQueue")) return false;
  unordered_ = clCreateCommandQueue(context_, device_, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  return world_.went_well(code, "clCreateCommandQueue");
}

void Session::open_buffers() {
  cl_int code = 0;
  cl_uint first = 100;
  for (Object* object : objects_) {
    object->words = ramp(first += 1000);
    if (object == &index_)
      for (std::size_t i = 0; i < kWords; ++i) object->words[i] = static_cast<cl_uint>(i * 389 % kWords);
    object->mem =
        clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes, object->words.data(), &code);
    if (!world_.went_well(code, "clCreateBuffer")) object->known = false;
  }
}

cl_program Session::build(const char* source) {
  cl_int code = 0;
  cl_program made = clCreateProgramWithSource(context_, 1, &source, nullptr, &code);
  if (!world_.went_well(code, "clCreateProgramWithSource")) return nullptr;
  const cl_int built = clBuildProgram(made, 1, &device_, "", nullptr, nullptr);
  if (world_.went_well(built, "clBuildProgram")) return made;
  std::size_t bytes = 0;
  if (built != CL_OUT_OF_HOST_MEMORY &&
      (clGetProgramBuildInfo(made, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS || bytes < 2))
    world_.complain("a failed build has no log");
  clReleaseProgram(made);
  return nullptr;
}

cl_kernel Session::kernel(cl_program program, const char* name) {
  if (program == nullptr) return nullptr;
  cl_int code = 0;
  cl_kernel made = clCreateKernel(program, name, &code);
  world_.went_well(code, "clCreateKernel");
  if (made != nullptr) kernels_.push_back(made);
  return made;
}

void Session::write(cl_command_queue queue, Object& to, const Words& words, bool blocking) {
  Words& host = world_.host(kWords);
  host = words;
  Effect effect{{}, {&to}, true, [&to, words] { to.words = words; }, {}};
  cl_event event = nullptr;
  const cl_int code =
      clEnqueueWriteBuffer(queue, to.mem, blocking, 0, kBytes, host.data(), 0, nullptr, blocking ? nullptr : &event);
  world_.enqueued("clEnqueueWriteBuffer", code, event, std::move(effect));
}

void Session::read(cl_command_queue queue, Object& from, bool blocking) {
  Words& host = world_.host(kWords);
  Effect effect{{&from}, {}, true, {}, [this, &from, &host] { world_.expect_equal(host, from.words, "read"); }};
  cl_event event = nullptr;
  const cl_int code =
      clEnqueueReadBuffer(queue, from.mem, blocking, 0, kBytes, host.data(), 0, nullptr, blocking ? nullptr : &event);
  world_.enqueued("clEnqueueReadBuffer", code, event, std::move(effect));
}

bool Session::set(cl_kernel kernel, cl_uint index, const Object& object) {
  return world_.went_well(clSetKernelArg(kernel, index, sizeof object.mem, &object.mem), "clSetKernelArg");
}

void Session::launch(cl_command_queue queue, cl_kernel kernel, Effect effect, std::vector<cl_event> after) {
  cl_event event = nullptr;
  const cl_int code =
      clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kWords, &kLocal, static_cast<cl_uint>(after.size()),
                             after.empty() ? nullptr : after.data(), &event);
  world_.enqueued("clEnqueueNDRangeKernel", code, event, std::move(effect));
}

void Session::copy_launch(cl_command_queue queue, Object& from, Object& to) {
  if (copy_ == nullptr || !set(copy_, 0, from) || !set(copy_, 1, to)) return;
  launch(queue, copy_, {{&from}, {&to}, true, [&] { to.words = from.words; }, {}});
}

void Session::count_launch(cl_command_queue queue, Object& counts) {
  if (count_ == nullptr || !set(count_, 0, counts)) return;
  launch(queue, count_,
         {{},
          {&counts},
          false,
          [&] {
            for (cl_uint& word : counts.words) ++word;
          },
          {}});
}

void Session::transfers() {
  write(queue_, a_, ramp(7), true);
  read(queue_, a_, true);
  write(queue_, b_, ramp(70), false);
  read(queue_, b_, false);
  // A rectangle: 8 rows of 16 words in rows of 32.
  const std::size_t origin[3] = {0, 0, 0}, region[3] = {64, 8, 1};
  Words& host = world_.host(8 * 16);
  host.assign(8 * 16, 5);
  const cl_int written = clEnqueueWriteBufferRect(queue_, a_.mem, CL_TRUE, origin, origin, region, 128, 0, 64, 0,
                                                  host.data(), 0, nullptr, nullptr);
  world_.done("clEnqueueWriteBufferRect", written,
              {{},
               {&a_},
               false,
               [this] {
                 for (std::size_t row = 0; row < 8; ++row)
                   std::fill_n(a_.words.begin() + static_cast<std::ptrdiff_t>(row * 32), 16, 5u);
               },
               {}});
  count_launch(queue_, a_);
  Words& rows = world_.host(8 * 16);
  const cl_int read_code = clEnqueueReadBufferRect(queue_, a_.mem, CL_TRUE, origin, origin, region, 128, 0, 64, 0,
                                                   rows.data(), 0, nullptr, nullptr);
  world_.done("clEnqueueReadBufferRect", read_code,
              {{&a_}, {}, true, {}, [this, &rows] {
                 Words want;
                 for (std::size_t row = 0; row < 8; ++row)
                   want.insert(want.end(), a_.words.begin() + static_cast<std::ptrdiff_t>(row * 32),
                               a_.words.begin() + static_cast<std::ptrdiff_t>(row * 32 + 16));
                 world_.expect_equal(rows, want, "read of a rectangle");
               }});
  world_.settle({queue_});
}

void Session::launches() {
  copy_launch(queue_, a_, b_);
  count_launch(queue_, b_);
  copy_launch(queue_, b_, c_);
  count_launch(queue_, b_);
  count_launch(queue_, b_);
  read(queue_, b_, true);
  if (scatter_ != nullptr && set(scatter_, 0, c_) && set(scatter_, 1, index_))
    launch(queue_, scatter_,
           {{&index_},
            {&c_},
            false,
            [this] {
              for (std::size_t i = 0; i < kWords; ++i) c_.words[index_.words[i]] = static_cast<cl_uint>(i);
            },
            {}});
  count_launch(queue_, c_);
  read(queue_, c_, false);
  const cl_uint width = 256;
  if (grid_ != nullptr && set(grid_, 0, a_) &&
      world_.went_well(clSetKernelArg(grid_, 1, sizeof width, &width), "clSetKernelArg")) {
    const std::size_t global[2] = {width, kWords / width}, local[2] = {8, 8};
    cl_event event = nullptr;
    const cl_int code = clEnqueueNDRangeKernel(queue_, grid_, 2, nullptr, global, local, 0, nullptr, &event);
    world_.enqueued("clEnqueueNDRangeKernel", code, event,
                    {{},
                     {&a_},
                     true,
                     [this] {
                       for (cl_uint i = 0; i < kWords; ++i) a_.words[i] = 1000 * (i / width) + i % width;
                     },
                     {}});
  }
  read(queue_, a_, false);
  world_.settle({queue_});
}

void Session::sub_buffers() {
  if (copy_ == nullptr || a_.mem == nullptr) return;
  const cl_buffer_region region{kBytes / 2, kBytes / 2};
  cl_int code = 0;
  cl_mem half = clCreateSubBuffer(a_.mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (!world_.went_well(code, "clCreateSubBuffer")) return;
  const std::size_t items = kWords / 2;
  cl_event event = nullptr;
  if (set(copy_, 0, b_) && world_.went_well(clSetKernelArg(copy_, 1, sizeof half, &half), "clSetKernelArg")) {
    code = clEnqueueNDRangeKernel(queue_, copy_, 1, nullptr, &items, &kLocal, 0, nullptr, &event);
    world_.enqueued("clEnqueueNDRangeKernel", code, event,
                    {{&b_},
                     {&a_},
                     false,
                     [this] { std::copy_n(b_.words.begin(), kWords / 2, a_.words.begin() + kWords / 2); },
                     {}});
  }
  read(queue_, a_, true);
  world_.settle({queue_});
  clReleaseMemObject(half);
}

void Session::fills_copies_maps() {
  const cl_uint pattern = 0x01020304;
  count_launch(queue_, a_);
  cl_event event = nullptr;
  cl_int code = clEnqueueFillBuffer(queue_, a_.mem, &pattern, sizeof pattern, 0, kBytes / 4, 0, nullptr, &event);
  world_.enqueued("clEnqueueFillBuffer", code, event,
                  {{}, {&a_}, false, [this] { std::fill_n(a_.words.begin(), kWords / 4, 0x01020304u); }, {}});
  event = nullptr;
  code = clEnqueueCopyBuffer(queue_, a_.mem, c_.mem, 0, 0, kBytes, 0, nullptr, &event);
  world_.enqueued("clEnqueueCopyBuffer", code, event, {{&a_}, {&c_}, true, [this] { c_.words = a_.words; }, {}});
  count_launch(queue_, c_);
  read(queue_, c_, true);
  world_.settle({queue_});
  void* mapped = clEnqueueMapBuffer(queue_, c_.mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, kBytes / 2, 0, nullptr,
                                    nullptr, &code);
  if (world_.went_well(code, "clEnqueueMapBuffer")) {
    auto* words = static_cast<cl_uint*>(mapped);
    if (c_.known) world_.expect_equal(Words(words, words + kWords / 2), c_.words, "map");
    std::fill_n(words, kWords / 2, 77u);
    event = nullptr;
    code = clEnqueueUnmapMemObject(queue_, c_.mem, mapped, 0, nullptr, &event);
    world_.enqueued("clEnqueueUnmapMemObject", code, event,
                    {{}, {&c_}, false, [this] { std::fill_n(c_.words.begin(), kWords / 2, 77u); }, {}});
  }
  count_launch(queue_, c_);
  // Not waited for: what is mapped is told by the event alone.
  cl_event shown = nullptr;
  mapped = clEnqueueMapBuffer(queue_, c_.mem, CL_FALSE, CL_MAP_READ, 0, kBytes, 0, nullptr, &shown, &code);
  if (world_.went_well(code, "clEnqueueMapBuffer")) {
    Words& seen = world_.host(kWords);
    const bool waited = clWaitForEvents(1, &shown) == CL_SUCCESS;
    if (waited) std::copy_n(static_cast<cl_uint*>(mapped), kWords, seen.begin());
    world_.enqueued("clEnqueueMapBuffer", code, shown, {{&c_}, {}, true, {}, [this, waited, &seen] {
                                                          if (waited)
                                                            world_.expect_equal(seen, c_.words, "map not waited for");
                                                        }});
    // CL_INVALID_VALUE where the map has failed: then there is nothing to unmap.
    clEnqueueUnmapMemObject(queue_, c_.mem, mapped, 0, nullptr, nullptr);
  }
  world_.settle({queue_});
}

void Session::often_read() {
  for (int i = 0; i < 6; ++i) {
    copy_launch(queue_, b_, a_);
    count_launch(queue_, a_);
    for (Object* each : {&a_, &b_, &a_}) read(queue_, *each, false);
    count_launch(queue_, a_);
  }
  read(queue_, a_, true);
  world_.settle({queue_});
}

void Session::read_all() {
  for (Object* object : objects_) read(queue_, *object, true);
  // Buffers whose contents were lost are usable again once written.
  for (Object* object : objects_) {
    if (object == &index_) continue;
    write(queue_, *object, ramp(31), false);
    read(queue_, *object, true);
  }
  copy_launch(queue_, a_, b_);
  count_launch(queue_, b_);
  read(queue_, b_, true);
  world_.settle({queue_});
}

void Session::close() {
  for (cl_kernel made : kernels_) clReleaseKernel(made);
  for (cl_program made : {program_, opaque_program_, from_binary_})
    if (made != nullptr) clReleaseProgram(made);
  for (Object* object : objects_)
    if (object->mem != nullptr) clReleaseMemObject(object->mem);
  for (cl_command_queue made : {queue_, second_, unordered_})
    if (made != nullptr) clReleaseCommandQueue(made);
  if (context_ != nullptr) clReleaseContext(context_);
}

Outcome Session::run() {
  if (open()) {
    open_buffers();
    program_ = build(kSource);
    copy_ = kernel(program_, "stub_copy");
    count_ = kernel(program_, "stub_count");
    scatter_ = kernel(program_, "stub_scatter");
    grid_ = kernel(program_, "stub_grid");
    image_kernel_ = kernel(program_, "stub_image");
    const bool usable = std::all_of(objects_.begin(), objects_.end(), [](auto* o) { return o->mem != nullptr; });
    if (usable) {
      const std::pair<const char*, void (Session::*)()> steps[] = {{"transfers", &Session::transfers},
                                                                   {"launches", &Session::launches},
                                                                   {"often_read", &Session::often_read},
                                                                   {"sub_buffers", &Session::sub_buffers},
                                                                   {"fills_copies_maps", &Session::fills_copies_maps},
                                                                   {"images", &Session::images},
                                                                   {"several_queues", &Session::several_queues},
                                                                   {"gates", &Session::gates},
                                                                   {"binaries", &Session::binaries},
                                                                   {"links", &Session::links},
                                                                   {"opaque", &Session::opaque},
                                                                   {"read_all", &Session::read_all}};
      for (const auto& [name, step] : steps) {
        begin_step(name);
        (this->*step)();
      }
    }
  }
  close();
  return {world_.good(), world_.errors()};
}

Outcome run_session() { return Session().run(); }

}  // namespace skmd::test
