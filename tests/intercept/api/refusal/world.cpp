// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/refusal/world.h"

#include <algorithm>
#include <cstring>

namespace skmd::test {
namespace {

constexpr const char* kSource = R"(
kernel void plain(global int* out) { out[get_global_id(0)] = 1; }
kernel void every(global int* out, constant int* table, local int* scratch, int value, float3 three,
                  read_only image2d_t in, write_only image2d_t target, sampler_t s) {
  int2 at = (int2)(get_global_id(0), 0);
  scratch[get_local_id(0)] = table[0] + value + (int)three.x;
  write_imagef(target, at, read_imagef(in, s, at));
  out[get_global_id(0)] = scratch[get_local_id(0)];
}
__attribute__((reqd_work_group_size(8, 1, 1))) kernel void required(global int* out) { out[get_global_id(0)] = 1; }
kernel void uses_local(local int* scratch) { scratch[get_local_id(0)] = 1; }
)";
/// For devices without images.
constexpr const char* kPlainSource = "kernel void plain(global int* out) { out[get_global_id(0)] = 1; }";

template <class T, class Info>
T ask(Info info, cl_uint name) {
  T value{};
  EXPECT_EQ(info(name, sizeof value, &value), CL_SUCCESS) << "query " << name;
  return value;
}

cl_mem make_image(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_channel_type channel) {
  const cl_image_format format{CL_RGBA, channel};
  cl_image_desc desc{};
  desc.image_type = type;
  desc.image_width = World::kSide;
  desc.image_height = World::kSide;
  desc.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 2 : 0;
  cl_int code = 1;
  cl_mem image = clCreateImage(context, flags, &format, &desc, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return image;
}

cl_program make_program(cl_context context, const char* source) {
  cl_int code = 1;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  return program;
}

}  // namespace

const char* name_of(Bad bad) {
  switch (bad) {
    case Bad::null:
      return "NULL";
    case Bad::foreign:
      return "no handle of ours";
    case Bad::other_kind:
      return "of another kind";
    case Bad::released:
      return "released";
  }
  return "";
}

World::World() {
  EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS) << "no platform: see SKMD_LOG=error";
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  foreign_[0] = *reinterpret_cast<void**>(platform);  // the loader reads the dispatch word
  for (Objects* objects : {&mine, &other, &released}) make_objects(*objects);
  cl_int code = 1;
  unprofiled = clCreateCommandQueueWithProperties(mine.context, device, nullptr, &code);
  second_buffer = clCreateBuffer(mine.context, CL_MEM_READ_WRITE, kBytes, nullptr, &code);
  write_only_host = clCreateBuffer(mine.context, CL_MEM_HOST_WRITE_ONLY, kBytes, nullptr, &code);
  read_only_host = clCreateBuffer(mine.context, CL_MEM_HOST_READ_ONLY, kBytes, nullptr, &code);
  const cl_buffer_region lower{0, kBytes / 2}, upper{kBytes / 2, kBytes / 2};
  sub_buffer = clCreateSubBuffer(mine.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &lower, &code);
  second_sub_buffer = clCreateSubBuffer(mine.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &upper, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  complete = clCreateUserEvent(mine.context, &code);
  broken = clCreateUserEvent(mine.context, &code);
  EXPECT_EQ(clSetUserEventStatus(complete, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(broken, -5), CL_SUCCESS);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(unprofiled, 0, nullptr, &marker), CL_SUCCESS);
  EXPECT_EQ(clWaitForEvents(1, &marker), CL_SUCCESS);
  if (has_images()) make_images();
  make_programs();
  release(released);
}

World::~World() {
  for (cl_mem memory : {sub_buffer, second_sub_buffer, second_buffer, write_only_host, read_only_host, image3d,
                        float_image, write_only_image, read_only_image, no_host_image})
    if (memory != nullptr) clReleaseMemObject(memory);
  for (cl_kernel kernel : {unset, every, required, local})
    if (kernel != nullptr) clReleaseKernel(kernel);
  for (cl_program program : {unbuilt, compiled, failed}) clReleaseProgram(program);
  for (cl_event event : {complete, broken, marker}) clReleaseEvent(event);
  clReleaseCommandQueue(unprofiled);
  for (Objects* objects : {&mine, &other}) {
    clSetUserEventStatus(objects->event, -1);
    release(*objects);
  }
}

void World::make_objects(Objects& objects) {
  cl_int code = 1;
  objects.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  objects.queue = clCreateCommandQueueWithProperties(objects.context, device, properties, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  std::vector<unsigned char> bytes(kBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 7);
  objects.buffer =
      clCreateBuffer(objects.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes, bytes.data(), &code);
  EXPECT_EQ(code, CL_SUCCESS);
  const bool images = ask<cl_bool>([&](cl_uint name, size_t size,
                                       void* value) { return clGetDeviceInfo(device, name, size, value, nullptr); },
                                   CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE;
  if (images) {
    objects.image = make_image(objects.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8);
    objects.sampler = clCreateSamplerWithProperties(objects.context, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
  }
  objects.program = make_program(objects.context, images ? kSource : kPlainSource);
  EXPECT_EQ(clBuildProgram(objects.program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  objects.kernel = clCreateKernel(objects.program, "plain", &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(objects.kernel, 0, sizeof(cl_mem), &objects.buffer), CL_SUCCESS);
  objects.event = clCreateUserEvent(objects.context, &code);
  EXPECT_EQ(code, CL_SUCCESS);
}

void World::make_images() {
  image3d = make_image(mine.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, CL_UNORM_INT8);
  float_image = make_image(mine.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
  write_only_image = make_image(mine.context, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8);
  read_only_image = make_image(mine.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8);
  no_host_image = make_image(mine.context, CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_IMAGE2D, CL_UNORM_INT8);
}

void World::make_programs() {
  unbuilt = make_program(mine.context, kPlainSource);
  compiled = make_program(mine.context, kPlainSource);
  EXPECT_EQ(clCompileProgram(compiled, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  failed = make_program(mine.context, "kernel void broken( {");
  EXPECT_EQ(clBuildProgram(failed, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  cl_int code = CL_SUCCESS;
  unset = clCreateKernel(mine.program, "plain", &code);
  EXPECT_EQ(code, CL_SUCCESS);
  if (!has_images()) return;
  every = clCreateKernel(mine.program, "every", &code);
  EXPECT_EQ(code, CL_SUCCESS);
  required = clCreateKernel(mine.program, "required", &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(required, 0, sizeof(cl_mem), &mine.buffer), CL_SUCCESS);
  local = clCreateKernel(mine.program, "uses_local", &code);
  EXPECT_EQ(code, CL_SUCCESS);
}

void World::release(Objects& objects) {
  clReleaseEvent(objects.event);
  clReleaseKernel(objects.kernel);
  clReleaseProgram(objects.program);
  if (objects.sampler != nullptr) clReleaseSampler(objects.sampler);
  if (objects.image != nullptr) clReleaseMemObject(objects.image);
  clReleaseMemObject(objects.buffer);
  clReleaseCommandQueue(objects.queue);
  clReleaseContext(objects.context);
}

template <class Handle>
Handle World::bad(Bad how) {
  constexpr bool kIsEvent = std::is_same_v<Handle, cl_event>;
  switch (how) {
    case Bad::null:
      return nullptr;
    case Bad::foreign:
      return reinterpret_cast<Handle>(static_cast<void*>(foreign_.data()));
    case Bad::other_kind:
      return kIsEvent ? reinterpret_cast<Handle>(mine.kernel) : reinterpret_cast<Handle>(complete);
    case Bad::released:
      break;
  }
  if constexpr (std::is_same_v<Handle, cl_context>) return released.context;
  if constexpr (std::is_same_v<Handle, cl_command_queue>) return released.queue;
  if constexpr (std::is_same_v<Handle, cl_mem>) return released.buffer;
  if constexpr (std::is_same_v<Handle, cl_sampler>) return released.sampler;
  if constexpr (std::is_same_v<Handle, cl_program>) return released.program;
  if constexpr (std::is_same_v<Handle, cl_kernel>) return released.kernel;
  if constexpr (kIsEvent) return released.event;
  // Platforms and devices are never released: any dead handle does.
  return reinterpret_cast<Handle>(released.event);
}
template cl_platform_id World::bad(Bad);
template cl_device_id World::bad(Bad);
template cl_context World::bad(Bad);
template cl_command_queue World::bad(Bad);
template cl_mem World::bad(Bad);
template cl_sampler World::bad(Bad);
template cl_program World::bad(Bad);
template cl_kernel World::bad(Bad);
template cl_event World::bad(Bad);

void World::arm() {
  value_.fill(0xCD);
  event_ = reinterpret_cast<cl_event>(this);
  count_ = kNoCount;
  size_ = kNoCount;
  code_ = kNoCode;
}

void World::expect_untouched() const {
  EXPECT_EQ(event_, reinterpret_cast<cl_event>(const_cast<World*>(this))) << "the event output was written";
  EXPECT_EQ(count_, kNoCount) << "the count output was written";
  EXPECT_EQ(size_, kNoCount) << "the size output was written";
  EXPECT_TRUE(std::all_of(value_.begin(), value_.end(), [](unsigned char byte) { return byte == 0xCD; }))
      << "the value output was written";
}

std::vector<std::string> World::snapshot() const {
  std::vector<std::string> lines;
  const auto note = [&](const std::string& what, auto value) { lines.push_back(what + " " + std::to_string(value)); };
  for (cl_mem memory : {mine.buffer, second_buffer, sub_buffer, second_sub_buffer, write_only_host, read_only_host,
                        mine.image, image3d, float_image, other.buffer}) {
    if (memory == nullptr) continue;
    const auto info = [=](cl_uint name, size_t size, void* value) {
      return clGetMemObjectInfo(memory, name, size, value, nullptr);
    };
    note("references of a memory object", ask<cl_uint>(info, CL_MEM_REFERENCE_COUNT));
    note("mappings of a memory object", ask<cl_uint>(info, CL_MEM_MAP_COUNT));
  }
  for (cl_kernel kernel : {mine.kernel, unset, every, required, local}) {
    if (kernel == nullptr) continue;
    note("references of a kernel",
         ask<cl_uint>([=](cl_uint name, size_t size,
                          void* value) { return clGetKernelInfo(kernel, name, size, value, nullptr); },
                      CL_KERNEL_REFERENCE_COUNT));
  }
  for (cl_event event : {mine.event, complete, broken, marker, other.event}) {
    const auto info = [=](cl_uint name, size_t size, void* value) {
      return clGetEventInfo(event, name, size, value, nullptr);
    };
    note("references of an event", ask<cl_uint>(info, CL_EVENT_REFERENCE_COUNT));
    note("status of an event", ask<cl_int>(info, CL_EVENT_COMMAND_EXECUTION_STATUS));
  }
  for (cl_program program : {mine.program, unbuilt, compiled, failed}) {
    note("references of a program",
         ask<cl_uint>([=](cl_uint name, size_t size,
                          void* value) { return clGetProgramInfo(program, name, size, value, nullptr); },
                      CL_PROGRAM_REFERENCE_COUNT));
    const auto info = [=, this](cl_uint name, size_t size, void* value) {
      return clGetProgramBuildInfo(program, device, name, size, value, nullptr);
    };
    note("status of a program", ask<cl_build_status>(info, CL_PROGRAM_BUILD_STATUS));
    note("type of a program", ask<cl_program_binary_type>(info, CL_PROGRAM_BINARY_TYPE));
  }
  for (cl_context context : {mine.context, other.context})
    note("references of a context",
         ask<cl_uint>([=](cl_uint name, size_t size,
                          void* value) { return clGetContextInfo(context, name, size, value, nullptr); },
                      CL_CONTEXT_REFERENCE_COUNT));
  for (cl_command_queue queue : {mine.queue, unprofiled, other.queue})
    note("references of a queue",
         ask<cl_uint>([=](cl_uint name, size_t size,
                          void* value) { return clGetCommandQueueInfo(queue, name, size, value, nullptr); },
                      CL_QUEUE_REFERENCE_COUNT));
  if (mine.sampler != nullptr)
    note("references of a sampler",
         ask<cl_uint>([this](cl_uint name, size_t size,
                             void* value) { return clGetSamplerInfo(mine.sampler, name, size, value, nullptr); },
                      CL_SAMPLER_REFERENCE_COUNT));
  add_bytes(lines);
  return lines;
}

void World::add_bytes(std::vector<std::string>& lines) const {
  std::string bytes(kBytes, '\0');
  for (cl_mem buffer : {mine.buffer, second_buffer, read_only_host}) {
    EXPECT_EQ(clEnqueueReadBuffer(unprofiled, buffer, CL_TRUE, 0, kBytes, bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    lines.push_back("bytes of a buffer " + bytes);
  }
  for (cl_mem image : {mine.image, float_image}) {
    if (image == nullptr) continue;
    const size_t origin[3] = {0, 0, 0}, region[3] = {kSide, kSide, 1};
    EXPECT_EQ(clEnqueueReadImage(unprofiled, image, CL_TRUE, origin, region, 0, 0, bytes.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    lines.push_back("bytes of an image " + bytes);
  }
}

}  // namespace skmd::test
