// SPDX-License-Identifier: Apache-2.0
// The driver as an application meets it: libskmd.so through ocl-icd, over two PoCL devices with separate memories.
// Include it in tests that call the OpenCL API; the environment is set before the first call.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skmd::test {

/// Platform, device, context and in-order profiling queue, made once per process; fresh() makes others.
class Driver : public ::testing::Test {
 public:
  static cl_platform_id platform();
  static cl_device_id device();
  static cl_context context();
  static cl_command_queue queue();

 protected:
  /// Makes the world at the first test. Not in SetUpTestSuite: ctest takes a suite that fails there for skipped tests.
  Driver();

  /// A context of its own, for tests about mixing contexts; released at the end of the test.
  cl_context other_context();
  /// A buffer of `context()` of `bytes` bytes, released at the end of the test.
  cl_mem buffer(size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr);
  /// A built program and its kernel, released at the end of the test; a failed build fails the test with its log.
  cl_program program(const std::string& source, const char* options = "");
  cl_kernel kernel(const std::string& source, const char* name, const char* options = "");
  /// An event that has no outcome until set_status; failed at the end of the test if still open.
  cl_event user_event();

  void TearDown() override;

 private:
  std::vector<cl_context> contexts_;
  std::vector<cl_mem> memories_;
  std::vector<cl_program> programs_;
  std::vector<cl_kernel> kernels_;
  std::vector<cl_event> events_;
};

/// A pointer that is no handle of ours but can be read (the loader reads the dispatch word): its first word is our
/// table.
template <class Handle>
Handle foreign_handle(cl_platform_id platform) {
  static void* words[16];
  words[0] = *reinterpret_cast<void**>(platform);
  return reinterpret_cast<Handle>(static_cast<void*>(words));
}

}  // namespace skmd::test
