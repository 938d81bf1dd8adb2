// SPDX-License-Identifier: Apache-2.0
// The few OpenCL calls the workloads need, with owned handles. A call that fails throws ClError; the runner reports it.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/host_memory.h"

namespace bench {

/// An OpenCL call failed; the text names the call and the code.
class ClError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user asked for something that is not there: reported as bad input.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws ClError unless `code` is CL_SUCCESS.
void check_call(cl_int code, const char* call);

/// A handle that is released once.
template <typename T, cl_int(CL_API_CALL* release)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() {
    if (value_ != nullptr) release(value_);
  }
  T get() const { return value_; }

 private:
  T value_ = nullptr;
};

using Context = Handle<cl_context, clReleaseContext>;
using Queue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Program = Handle<cl_program, clReleaseProgram>;
using Buffer = Handle<cl_mem, clReleaseMemObject>;

/// Stands for a __local argument of that many bytes.
struct LocalBytes {
  std::size_t bytes;
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Program& program, const char* name);

  /// Sets all arguments in order: buffers, LocalBytes, or plain values of the parameter's exact type.
  template <typename... Args>
  void set(const Args&... args) {
    cl_uint index = 0;
    (set_one(index++, args), ...);
  }
  cl_kernel get() const { return kernel_.get(); }

 private:
  void set_bytes(cl_uint index, std::size_t size, const void* value);
  void set_one(cl_uint index, const Buffer& buffer) {
    const cl_mem memory = buffer.get();
    set_bytes(index, sizeof(memory), &memory);
  }
  void set_one(cl_uint index, LocalBytes local) { set_bytes(index, local.bytes, nullptr); }
  template <typename T>
  void set_one(cl_uint index, const T& value) {
    set_bytes(index, sizeof(value), &value);
  }

  Handle<cl_kernel, clReleaseKernel> kernel_;
};

/// Global and local sizes; as many dimensions as given.
struct Range {
  cl_uint dims;
  std::array<std::size_t, 3> global;
  std::array<std::size_t, 3> local;
};
Range range_1d(std::size_t global, std::size_t local);
Range range_2d(std::array<std::size_t, 2> global, std::array<std::size_t, 2> local);
Range range_3d(std::array<std::size_t, 3> global, std::array<std::size_t, 3> local);

/// What a Device spent, in seconds.
struct Spent {
  double build = 0;      // in build()
  double kernels = 0;    // from enqueuing a kernel until it is done, nothing else being under way
  double processor = 0;  // of all threads of this program meanwhile: tells more than elapsed time on a busy machine
};

/// One device with its context and an in-order queue.
class Device {
 public:
  /// `selector` is "platform:device": a part of the platform's name, and a part of the device's name or its index on
  /// that platform; upper and lower case are alike. Empty: the first device of the first platform that has one. Throws
  /// BadInput. `memory` is what host() gives.
  explicit Device(const std::string& selector, Memory memory = Memory::pageable);

  /// From now on adds to `spent` what things take; for that every launch waits for what is before it, and is waited
  /// for. nullptr: no longer.
  void account(Spent* spent) { spent_ = spent; }

  /// Throws ClError with the build log if the source does not build.
  Program build(const char* source, const std::string& options = "") const;
  Buffer buffer(cl_mem_flags flags, std::size_t bytes) const;

  /// An array for write() and read() that lives until release_host_memory(): `values`, which must not be empty, or
  /// `count` zeros. Throws ClError.
  template <typename T>
  std::span<T> host(std::vector<T> values) const {
    return host_->keep(std::move(values));
  }
  template <typename T>
  std::span<T> host(std::size_t count) const {
    return host_->keep(std::vector<T>(count));
  }
  /// Ends all arrays that host() gave, which nothing may use any more. Throws ClError. Without this call they end with
  /// the device, and failures are lost.
  void release_host_memory() const { host_->release(); }

  /// Returns at once; `data` (a vector or a span) must stay alive and unchanged until the next read or finish.
  template <typename Array>
  void write(const Buffer& to, const Array& data) const {
    const auto bytes = std::as_bytes(std::span(data));
    write_bytes(to, bytes.size(), bytes.data());
  }
  /// Returns when everything enqueued so far is done and `data` is filled.
  template <typename Array>
  void read(const Buffer& from, Array& data) const {
    const auto bytes = std::as_writable_bytes(std::span(data));
    read_bytes(from, bytes.size(), bytes.data());
  }
  void copy(const Buffer& from, const Buffer& to, std::size_t bytes) const;
  void launch(const Kernel& kernel, const Range& range) const;

  /// For what the calls above do not do; the device's own.
  cl_device_id id() const { return device_; }
  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }

 private:
  void write_bytes(const Buffer& to, std::size_t bytes, const void* data) const;
  void read_bytes(const Buffer& from, std::size_t bytes, void* data) const;
  void finish() const;

  cl_device_id device_ = nullptr;
  Context context_;
  Queue queue_;
  std::unique_ptr<HostMemory> host_;
  Spent* spent_ = nullptr;
};

}  // namespace bench
