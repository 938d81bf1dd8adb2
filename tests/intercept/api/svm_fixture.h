// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory for tests over a machine that offers it.
#pragma once

#include <cstring>
#include <vector>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {

class Svm : public Driver {
 protected:
  /// Of `context()`, freed at the end of the test unless the test does.
  template <class T>
  T* shared(size_t count) {
    auto* const made = static_cast<T*>(clSVMAlloc(context(), CL_MEM_READ_WRITE, count * sizeof(T), 0));
    EXPECT_NE(made, nullptr);
    allocations_.push_back(made);
    return made;
  }
  void free(void* pointer) {
    std::erase(allocations_, pointer);
    clSVMFree(context(), pointer);
  }
  void map(void* pointer, size_t bytes, cl_map_flags flags = CL_MAP_READ | CL_MAP_WRITE) {
    ASSERT_EQ(clEnqueueSVMMap(queue(), CL_TRUE, flags, pointer, bytes, 0, nullptr, nullptr), CL_SUCCESS);
  }
  void unmap(void* pointer) { ASSERT_EQ(clEnqueueSVMUnmap(queue(), pointer, 0, nullptr, nullptr), CL_SUCCESS); }
  template <class T>
  void put(T* pointer, const std::vector<T>& values) {
    ASSERT_EQ(
        clEnqueueSVMMemcpy(queue(), CL_TRUE, pointer, values.data(), values.size() * sizeof(T), 0, nullptr, nullptr),
        CL_SUCCESS);
  }
  template <class T>
  std::vector<T> got(const T* pointer, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(clEnqueueSVMMemcpy(queue(), CL_TRUE, values.data(), pointer, count * sizeof(T), 0, nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  cl_int run(cl_kernel kernel, size_t items) {
    return clEnqueueNDRangeKernel(queue(), kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
  }
  void TearDown() override {
    clFinish(queue());
    for (void* allocation : allocations_) clSVMFree(context(), allocation);
    Driver::TearDown();
  }

 private:
  std::vector<void*> allocations_;
};

}  // namespace skmd::test
