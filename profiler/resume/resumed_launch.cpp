// SPDX-License-Identifier: Apache-2.0
#include "profiler/resume/resumed_launch.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "profiler/checkpoint/launch_codec.h"
#include "profiler/describe.h"
#include "profiler/section_file/new_file.h"

namespace skmd::profiler {

namespace {

using checkpoint::BufferArgument;
using checkpoint::LaunchCheckpoint;
using domain::Error;
using domain::Result;
using domain::Status;

/// As a whole or not at all. Blocks.
Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  auto file = section_file::NewFile::create(path, 0666);
  if (!file) return file.error();
  if (Status status = file->write(bytes); !status) return status;
  return file->finish();
}

}  // namespace

ResumedLaunch::ResumedLaunch(const LoadedDriver& driver) : driver_(driver), api_(driver.api()) {}

ResumedLaunch::~ResumedLaunch() {
  if (kernel_ != nullptr) api_.clReleaseKernel(kernel_);
  if (program_ != nullptr) api_.clReleaseProgram(program_);
  for (cl_mem part : parts_) api_.clReleaseMemObject(part);
  for (cl_mem buffer : buffers_) api_.clReleaseMemObject(buffer);
  if (queue_ != nullptr) api_.clReleaseCommandQueue(queue_);
  if (context_ != nullptr) api_.clReleaseContext(context_);
}

void CL_CALLBACK ResumedLaunch::on_error(const char* text, const void*, std::size_t, void* user) {
  auto& reasons = static_cast<ResumedLaunch*>(user)->reasons_;
  reasons += (reasons.empty() ? "" : "; ") + std::string(text);
}

Error ResumedLaunch::failed(const std::string& what, cl_int code) {
  return {code, what + " answers " + std::to_string(code) + (reasons_.empty() ? "" : ": " + reasons_)};
}

Status ResumedLaunch::open_queue() {
  cl_int code = api_.clGetDeviceIDs(driver_.platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr);
  if (code != CL_SUCCESS) return failed("clGetDeviceIDs", code);
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(driver_.platform), 0};
  context_ = api_.clCreateContext(properties, 1, &device_, on_error, this, &code);
  if (context_ == nullptr) return failed("clCreateContext", code);
  queue_ = api_.clCreateCommandQueue(context_, device_, 0, &code);
  return queue_ != nullptr ? Status() : failed("clCreateCommandQueue", code);
}

// The devices here may ask for more than those that the launch began on.
Status ResumedLaunch::check_places(const LaunchCheckpoint& launch) {
  cl_uint bits = 0;
  const cl_int code = api_.clGetDeviceInfo(device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
  if (code != CL_SUCCESS) return failed("clGetDeviceInfo(CL_DEVICE_MEM_BASE_ADDR_ALIGN)", code);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto* view = std::get_if<BufferArgument>(&launch.arguments[i]);
    if (view == nullptr || bits < 8 || view->offset % (bits / 8) == 0) continue;
    return Error{CL_MISALIGNED_SUB_BUFFER_OFFSET,
                 "argument " + std::to_string(i) + " begins at byte " + std::to_string(view->offset) +
                     " of its buffer, and devices here take multiples of " + std::to_string(bits / 8) + " alone"};
  }
  return {};
}

Status ResumedLaunch::make_buffers(const LaunchCheckpoint& launch) {
  for (const checkpoint::BufferBytes& buffer : launch.buffers) {
    cl_int code = CL_SUCCESS;
    cl_mem made = api_.clCreateBuffer(context_, CL_MEM_READ_WRITE, buffer.bytes, nullptr, &code);
    if (made == nullptr) return failed("clCreateBuffer of " + std::to_string(buffer.bytes) + " bytes", code);
    buffers_.push_back(made);
  }
  return {};
}

Status ResumedLaunch::load_buffer(checkpoint::LaunchFile& file, std::size_t index) {
  section_file::Places places;
  std::vector<void*> mapped;
  Status status;
  for (const domain::ByteRange& range : file.launch().buffers[index].defined.ranges()) {
    cl_int code = CL_SUCCESS;
    void* const place = api_.clEnqueueMapBuffer(queue_, buffers_[index], CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                                range.begin, range.size(), 0, nullptr, nullptr, &code);
    if (place == nullptr) {
      status = failed("clEnqueueMapBuffer", code);
      break;
    }
    mapped.push_back(place);
    places.emplace_back(static_cast<std::byte*>(place), range.size());
  }
  if (status) status = file.read_buffer(places);
  for (void* place : mapped) (void)api_.clEnqueueUnmapMemObject(queue_, buffers_[index], place, 0, nullptr, nullptr);
  if (const cl_int code = api_.clFinish(queue_); status && code != CL_SUCCESS) status = failed("clFinish", code);
  return status;
}

Status ResumedLaunch::load(checkpoint::LaunchFile& file) {
  if (Status status = open_queue(); !status) return status;
  if (Status status = check_places(file.launch()); !status) return status;
  if (Status status = make_buffers(file.launch()); !status) return status;
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (Status status = load_buffer(file, i); !status) return status;
  return file.end();
}

Status ResumedLaunch::build(const LaunchCheckpoint& launch) {
  cl_int code = CL_SUCCESS;
  const char* text = launch.program.text.c_str();
  program_ = api_.clCreateProgramWithSource(context_, 1, &text, nullptr, &code);
  if (program_ == nullptr) return failed("clCreateProgramWithSource", code);
  code = api_.clBuildProgram(program_, 0, nullptr, launch.program.options.c_str(), nullptr, nullptr);
  if (code != CL_SUCCESS) return failed("clBuildProgram", code);
  kernel_ = api_.clCreateKernel(program_, launch.kernel.c_str(), &code);
  return kernel_ != nullptr ? Status() : failed("clCreateKernel of " + launch.kernel, code);
}

Result<cl_mem> ResumedLaunch::part_of(std::size_t argument, const BufferArgument& view, std::uint64_t bytes) {
  if (view.offset == 0 && view.size == bytes) return buffers_[view.buffer];
  const cl_buffer_region region{view.offset, view.size};
  cl_int code = CL_SUCCESS;
  cl_mem part = api_.clCreateSubBuffer(buffers_[view.buffer], 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (part == nullptr)
    return failed(
        "clCreateSubBuffer of argument " + std::to_string(argument) + " at byte " + std::to_string(view.offset), code);
  parts_.push_back(part);
  return part;
}

Status ResumedLaunch::set_arguments(const LaunchCheckpoint& launch) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const checkpoint::Argument& argument = launch.arguments[i];
    cl_mem memory = nullptr;
    std::size_t size = sizeof memory;
    const void* value = &memory;
    if (const auto* bytes = std::get_if<checkpoint::ValueArgument>(&argument)) {
      size = bytes->bytes.size();
      value = bytes->bytes.data();
    } else if (const auto* local = std::get_if<checkpoint::LocalArgument>(&argument)) {
      size = local->bytes;
      value = nullptr;
    } else if (const auto* view = std::get_if<BufferArgument>(&argument)) {
      auto part = part_of(i, *view, launch.buffers[view->buffer].bytes);
      if (!part) return part.error();
      memory = *part;
    }
    const cl_int code = api_.clSetKernelArg(kernel_, static_cast<cl_uint>(i), size, value);
    if (code != CL_SUCCESS) return failed("clSetKernelArg of argument " + std::to_string(i), code);
  }
  return {};
}

Status ResumedLaunch::run(const LaunchCheckpoint& launch) {
  if (Status status = build(launch); !status) return status;
  if (Status status = set_arguments(launch); !status) return status;
  const auto enqueue = driver_.extension<RestFunction>(kRestFunction);
  if (enqueue == nullptr) return Error{-1, std::string("the driver has no ") + kRestFunction};
  const std::string rest = checkpoint::encode(launch.rest);
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t), "extents are passed as they are");
  const domain::NdRange& range = launch.range;
  const auto extent = [](const domain::Extent3& values) {
    return std::vector<std::size_t>(values.begin(), values.end());
  };
  cl_event event = nullptr;
  cl_int code = enqueue(queue_, kernel_, range.work_dim, extent(range.offset).data(), extent(range.global).data(),
                        extent(range.local).data(), rest.size(), rest.data(), &event);
  if (code != CL_SUCCESS) return failed(kRestFunction, code);
  code = api_.clWaitForEvents(1, &event);
  cl_int state = CL_COMPLETE;
  (void)api_.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  api_.clReleaseEvent(event);
  return code == CL_SUCCESS ? Status() : failed("the launch", state < 0 ? state : code);
}

Status ResumedLaunch::write_one(const BufferArgument& view, const std::string& path) {
  cl_int code = CL_SUCCESS;
  void* const bytes = api_.clEnqueueMapBuffer(queue_, buffers_[view.buffer], CL_TRUE, CL_MAP_READ, view.offset,
                                              view.size, 0, nullptr, nullptr, &code);
  if (bytes == nullptr) return failed("clEnqueueMapBuffer", code);
  Status status = write_file(path, {static_cast<const std::byte*>(bytes), view.size});
  (void)api_.clEnqueueUnmapMemObject(queue_, buffers_[view.buffer], bytes, 0, nullptr, nullptr);
  (void)api_.clFinish(queue_);
  return status;
}

Result<std::vector<ResumedLaunch::Written>> ResumedLaunch::write(const LaunchCheckpoint& launch,
                                                                 const std::string& folder) {
  std::vector<Written> all;
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto* view = std::get_if<BufferArgument>(&launch.arguments[i]);
    if (view == nullptr) continue;
    Written written{i, view->size, folder + "/arg" + std::to_string(i) + ".bin"};
    if (Status status = write_one(*view, written.file); !status) return status.error();
    all.push_back(std::move(written));
  }
  return all;
}

}  // namespace skmd::profiler
