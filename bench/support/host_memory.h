// SPDX-License-Identifier: Apache-2.0
// The application's own arrays: what transfers read from and write to.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace bench {

/// pageable: from the C++ library. pinned: mapped buffers made with CL_MEM_ALLOC_HOST_PTR, which is how OpenCL
/// applications ask for page-locked memory.
enum class Memory { pageable, pinned };

/// Owns arrays of one kind of memory. For one thread.
class HostMemory {
 public:
  /// Context and queue must outlive this object.
  HostMemory(cl_context context, cl_command_queue queue, Memory kind) : context_(context), queue_(queue), kind_(kind) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  /// As release(), but failures are lost.
  ~HostMemory();

  /// `values`, which must not be empty, in this kind of memory, until release(). Throws ClError.
  template <typename T>
  std::span<T> keep(std::vector<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (kind_ == Memory::pageable) {
      const auto kept = std::make_shared<std::vector<T>>(std::move(values));
      pageable_.push_back(kept);
      return *kept;
    }
    const std::span<T> kept(static_cast<T*>(map(values.size() * sizeof(T))), values.size());
    std::memcpy(kept.data(), values.data(), kept.size_bytes());
    return kept;
  }

  /// Gives all arrays back; nothing may be using them. Throws ClError for the first call that failed, after all were
  /// made.
  void release();

 private:
  struct Mapped {
    cl_mem buffer;
    void* address;
  };

  void* map(std::size_t bytes);

  cl_context context_;
  cl_command_queue queue_;
  Memory kind_;
  std::vector<std::shared_ptr<void>> pageable_;
  std::vector<Mapped> mapped_;
};

}  // namespace bench
