// SPDX-License-Identifier: Apache-2.0
// Steps that use more than one queue, one program or one kind of object.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/faults/application.h"

namespace skmd::test {

void Session::images() {
  constexpr std::size_t kSide = 256;
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = kSide;
  desc.image_height = kWords / kSide;
  cl_uint formats = 0;
  world_.went_well(clGetSupportedImageFormats(context_, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &formats),
                   "clGetSupportedImageFormats");
  cl_int code = 0;
  Object image;
  image.mem = clCreateImage(context_, CL_MEM_READ_WRITE, &format, &desc, nullptr, &code);
  if (!world_.went_well(code, "clCreateImage")) return;
  const std::size_t origin[3] = {0, 0, 0}, region[3] = {kSide, kWords / kSide, 1};
  const Words pixels = ramp(0x10203);
  code = clEnqueueWriteImage(queue_, image.mem, CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr, nullptr);
  world_.done("clEnqueueWriteImage", code, {{}, {&image}, true, [&] { image.words = pixels; }, {}});
  cl_sampler sampler = clCreateSampler(context_, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  // The stub driver's kernel of this name does nothing; what counts is that the image goes there and is not harmed.
  if (image_kernel_ != nullptr && world_.went_well(code, "clCreateSampler") && set(image_kernel_, 0, image) &&
      world_.went_well(clSetKernelArg(image_kernel_, 1, sizeof sampler, &sampler), "clSetKernelArg") &&
      set(image_kernel_, 2, b_))
    launch(queue_, image_kernel_, {{&image}, {&b_}, true, {}, {}});
  Words& back = world_.host(kWords);
  code = clEnqueueReadImage(queue_, image.mem, CL_TRUE, origin, region, 0, 0, back.data(), 0, nullptr, nullptr);
  world_.done("clEnqueueReadImage", code,
              {{&image}, {}, true, {}, [&] { world_.expect_equal(back, pixels, "image"); }});
  world_.settle({queue_});
  b_.known = false;
  write(queue_, b_, ramp(12), true);
  world_.settle({queue_});
  if (sampler != nullptr) clReleaseSampler(sampler);
  clReleaseMemObject(image.mem);
}

void Session::several_queues() {
  copy_launch(queue_, a_, b_);
  cl_event mark = nullptr;
  cl_int code = clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &mark);
  if (!world_.went_well(code, "clEnqueueMarkerWithWaitList")) return world_.settle({queue_});
  if (count_ != nullptr && set(count_, 0, b_))
    launch(second_, count_,
           {{},
            {&b_},
            false,
            [this] {
              for (cl_uint& word : b_.words) ++word;
            },
            {}},
           {mark});
  // Independent of all that, on the queue without order.
  count_launch(unordered_, c_);
  clFlush(queue_);
  clFlush(second_);
  world_.enqueued("clEnqueueMarkerWithWaitList", code, mark, {});
  world_.settle({queue_, second_, unordered_});
  read(second_, b_, true);
  read(unordered_, c_, true);
  world_.settle({second_, unordered_});
}

namespace {

struct Told {
  std::atomic<int> calls{0};
};
void CL_CALLBACK tell(cl_event, cl_int, void* told) { ++static_cast<Told*>(told)->calls; }

}  // namespace

void Session::gates() {
  cl_int code = 0;
  cl_event gate = clCreateUserEvent(context_, &code);
  if (!world_.went_well(code, "clCreateUserEvent")) return;
  Told told;
  int expected = 0;
  if (count_ != nullptr && set(count_, 0, a_)) {
    cl_event event = nullptr;
    code = clEnqueueNDRangeKernel(queue_, count_, 1, nullptr, &kWords, &kLocal, 1, &gate, &event);
    if (code == CL_SUCCESS &&
        world_.went_well(clSetEventCallback(event, CL_COMPLETE, tell, &told), "clSetEventCallback"))
      ++expected;
    world_.enqueued("clEnqueueNDRangeKernel", code, event,
                    {{},
                     {&a_},
                     false,
                     [this] {
                       for (cl_uint& word : a_.words) ++word;
                     },
                     {}});
    count_launch(queue_, a_);
    copy_launch(queue_, a_, c_);
  }
  world_.went_well(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
  read(queue_, a_, false);
  world_.settle({queue_});
  while (told.calls < expected) std::this_thread::yield();  // the matrix' time limit ends a wait in vain
  clReleaseEvent(gate);
}

void Session::binaries() {
  if (program_ == nullptr) return;
  std::size_t bytes = 0;
  if (!world_.went_well(clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr),
                        "clGetProgramInfo"))
    return;
  std::vector<unsigned char> binary(bytes);
  unsigned char* pointer = binary.data();
  if (!world_.went_well(clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof pointer, &pointer, nullptr),
                        "clGetProgramInfo"))
    return;
  const unsigned char* content = pointer;
  cl_int status = 0, code = 0;
  from_binary_ = clCreateProgramWithBinary(context_, 1, &device_, &bytes, &content, &status, &code);
  if (!world_.went_well(code, "clCreateProgramWithBinary")) return;
  if (!world_.went_well(clBuildProgram(from_binary_, 1, &device_, "", nullptr, nullptr), "clBuildProgram")) return;
  cl_kernel count = kernel(from_binary_, "stub_count");
  if (count == nullptr || !set(count, 0, a_)) return;
  launch(queue_, count,
         {{},
          {&a_},
          false,
          [this] {
            for (cl_uint& word : a_.words) ++word;
          },
          {}});
  read(queue_, a_, true);
  world_.settle({queue_});
}

void Session::links() {
  cl_int code = 0;
  cl_program unit = clCreateProgramWithSource(context_, 1, const_cast<const char**>(&kOpaque), nullptr, &code);
  if (!world_.went_well(code, "clCreateProgramWithSource")) return;
  if (world_.went_well(clCompileProgram(unit, 1, &device_, "", 0, nullptr, nullptr, nullptr, nullptr),
                       "clCompileProgram")) {
    opaque_program_ = clLinkProgram(context_, 1, &device_, "", 1, &unit, nullptr, nullptr, &code);
    if (!world_.went_well(code, "clLinkProgram") && opaque_program_ != nullptr) {
      clReleaseProgram(opaque_program_);
      opaque_program_ = nullptr;
    }
  }
  clReleaseProgram(unit);
}

void Session::opaque() {
  cl_kernel fill = kernel(opaque_program_, "stub_fill");
  const cl_uint value = 4711;
  if (fill == nullptr || !set(fill, 0, c_) ||
      !world_.went_well(clSetKernelArg(fill, 1, sizeof value, &value), "clSetKernelArg"))
    return;
  // Whole, and for all that is known of it c_ keeps old bytes.
  launch(queue_, fill, {{}, {&c_}, true, [this] { c_.words.assign(kWords, 4711); }, {}});
  read(queue_, c_, true);
  world_.settle({queue_});
}

}  // namespace skmd::test
