// SPDX-License-Identifier: Apache-2.0
// A launch from a checkpoint file, as an OpenCL client of SKMD's driver completes it.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "profiler/checkpoint/launch_file.h"
#include "profiler/loaded_driver.h"

namespace skmd::profiler {

/// Used by one thread; its functions in this order, each once. Errors say what was done and why it failed.
class ResumedLaunch {
 public:
  explicit ResumedLaunch(const LoadedDriver& driver);
  ~ResumedLaunch();
  ResumedLaunch(const ResumedLaunch&) = delete;
  ResumedLaunch& operator=(const ResumedLaunch&) = delete;

  /// Reads the buffers of `file` to where the driver has them. Nothing has run after an error.
  domain::Status load(checkpoint::LaunchFile& file);
  /// Builds the program and runs what is left. Blocks until it has ended.
  domain::Status run(const checkpoint::LaunchCheckpoint& launch);

  struct Written {
    std::size_t argument = 0;
    std::uint64_t bytes = 0;
    std::string file;
  };
  /// Writes what each argument that is a buffer holds into a file of `folder`, which is there.
  domain::Result<std::vector<Written>> write(const checkpoint::LaunchCheckpoint& launch, const std::string& folder);

 private:
  /// What the driver told the context, and what it logged.
  std::string reasons_;
  domain::Error failed(const std::string& what, cl_int code);
  static void CL_CALLBACK on_error(const char* text, const void*, std::size_t, void* user);
  domain::Status open_queue();
  domain::Status check_places(const checkpoint::LaunchCheckpoint& launch);
  domain::Status make_buffers(const checkpoint::LaunchCheckpoint& launch);
  domain::Status load_buffer(checkpoint::LaunchFile& file, std::size_t index);
  domain::Status build(const checkpoint::LaunchCheckpoint& launch);
  domain::Status set_arguments(const checkpoint::LaunchCheckpoint& launch);
  domain::Result<cl_mem> part_of(std::size_t argument, const checkpoint::BufferArgument& view, std::uint64_t bytes);
  domain::Status write_one(const checkpoint::BufferArgument& view, const std::string& path);

  const LoadedDriver& driver_;
  const cl_icd_dispatch& api_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::vector<cl_mem> buffers_, parts_;
};

}  // namespace skmd::profiler
