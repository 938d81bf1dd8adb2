// SPDX-License-Identifier: Apache-2.0
// A vendor's objects behind the port's opaque ones. Each holds the native context it belongs to, so that it may be
// destroyed at any time, also after its device.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/stoppable_code.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// One context of one physical device. Contexts are never shared between devices: a context over many NVIDIA GPUs was
/// reported to raise the cost of a launch tenfold.
class NativeContext {
 public:
  static Result<std::shared_ptr<NativeContext>> create(const cl_icd_dispatch* cl, cl_platform_id platform,
                                                       cl_device_id device);
  ~NativeContext() {
    if (!gone()) cl->clReleaseContext(context);
  }
  NativeContext(const NativeContext&) = delete;
  NativeContext& operator=(const NativeContext&) = delete;

  const cl_icd_dispatch* const cl;
  const cl_device_id device;
  const cl_context context;

  /// The device is in another machine that does not answer any more. Nothing of it is called again; what it was given
  /// stays allocated, since its driver may still use it. Thread-safe.
  [[nodiscard]] bool gone() const { return gone_.load(std::memory_order_acquire); }
  void give_up() { gone_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> gone_{false};
  NativeContext(const cl_icd_dispatch* table, cl_device_id id, cl_context made)
      : cl(table), device(id), context(made) {}
};

/// Returns make(), an object that owns a native object; if make() throws for lack of memory, calls release() to release
/// the native object. `make` only allocates the owner, not a shared pointer to it: if memory for the pointer's count is
/// what is missing, the owner has released the native object already.
template <class Make, class Release>
auto owned(Make&& make, Release&& release) {
  try {
    return make();
  } catch (...) {
    release();
    throw;
  }
}

class VendorProgram final : public NativeProgram {
 public:
  VendorProgram(std::shared_ptr<NativeContext> context, cl_program program)
      : owner(std::move(context)), handle(program) {}
  ~VendorProgram() override {
    if (!owner->gone()) owner->cl->clReleaseProgram(handle);
  }
  const std::shared_ptr<NativeContext> owner;
  const cl_program handle;
  /// The form that can be stopped inside of groups; null: there is none. Set before the program is shared.
  std::shared_ptr<StoppableCode> stoppable;
};

/// A cl_mem with a serial number that is never reused, unlike the address of a released object.
struct MemoryHandle {
  MemoryHandle(std::shared_ptr<NativeContext> context, cl_mem memory);
  ~MemoryHandle() { retire(); }
  MemoryHandle(const MemoryHandle&) = delete;
  MemoryHandle& operator=(const MemoryHandle&) = delete;
  /// Releases the native object now, also while other owners still hold this handle. Thread-safe.
  void retire() {
    if (!retired_.exchange(true) && !owner->gone()) owner->cl->clReleaseMemObject(mem);
  }
  [[nodiscard]] bool retired() const { return retired_; }
  const std::shared_ptr<NativeContext> owner;
  const cl_mem mem;
  const std::uint64_t serial;

 private:
  std::atomic<bool> retired_{false};
};
std::shared_ptr<MemoryHandle> owned_memory(const std::shared_ptr<NativeContext>& context, cl_mem memory);

class VendorMemory final : public NativeMemory {
 public:
  /// `overlaps`: sub-buffers that share bytes may exist at the same time. `host`: where a buffer lies in place, or
  /// null.
  VendorMemory(std::shared_ptr<MemoryHandle> whole, std::uint64_t bytes, const ImageShape& shape,
               std::shared_ptr<NativeMemory> parent, bool overlaps = true, std::byte* host = nullptr)
      : bytes_(bytes),
        overlaps_(overlaps),
        host_(host),
        shape_(shape),
        whole_(std::move(whole)),
        parent_(std::move(parent)) {}

  [[nodiscard]] cl_mem mem() const { return whole_->mem; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of a buffer
  [[nodiscard]] const ImageShape& shape() const { return shape_; }
  /// The native object of a view: the whole buffer at offset 0 (its end is not checked by any kernel), else a cached
  /// sub-buffer. Where sub-buffers may not overlap, those that overlap the view are retired, after `drain` has waited
  /// for the commands that use them. Thread-safe.
  Result<std::shared_ptr<MemoryHandle>> view(std::uint64_t offset, std::uint64_t size,
                                             const std::function<void()>& drain);
  /// The same of an address in a buffer that lies in place, at any offset: a buffer of its own over the same bytes,
  /// since sub-buffers begin at aligned offsets. Elsewhere as view(). Thread-safe.
  Result<std::shared_ptr<MemoryHandle>> at_address(std::uint64_t offset, std::uint64_t size,
                                                   const std::function<void()>& drain);

 private:
  std::shared_ptr<MemoryHandle> keep(std::uint64_t offset, std::uint64_t size, cl_mem made) SKMD_REQUIRES(mutex_);
  void clear_the_way(std::uint64_t offset, std::uint64_t size, const std::function<void()>& drain)
      SKMD_REQUIRES(mutex_);
  const std::uint64_t bytes_;
  const bool overlaps_;
  std::byte* const host_;
  const ImageShape shape_;
  const std::shared_ptr<MemoryHandle> whole_;
  const std::shared_ptr<NativeMemory> parent_;  // the buffer under an image
  Mutex mutex_{LockRank::vendor_memory};
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<MemoryHandle>> views_ SKMD_GUARDED_BY(mutex_);
};

class VendorSampler final : public NativeSampler {
 public:
  VendorSampler(std::shared_ptr<NativeContext> context, cl_sampler sampler)
      : owner(std::move(context)), handle(sampler) {}
  ~VendorSampler() override {
    if (!owner->gone()) owner->cl->clReleaseSampler(handle);
  }
  const std::shared_ptr<NativeContext> owner;
  const cl_sampler handle;
};

class VendorKernel final : public NativeKernel {
 public:
  VendorKernel(std::shared_ptr<VendorProgram> program, cl_kernel kernel, const KernelLimits& limits,
               std::string own_name)
      : owner(std::move(program)), handle(kernel), name(std::move(own_name)), limits_(limits) {}
  ~VendorKernel() override {
    if (!owner->owner->gone()) owner->owner->cl->clReleaseKernel(handle);
  }
  [[nodiscard]] const KernelLimits& limits() const override { return limits_; }

  /// Sets what differs from the last call, and keeps native objects of views in `held`. Only under the device's mutex.
  /// `drain` waits for everything on the device's queues.
  Status bind(const std::shared_ptr<const std::vector<NativeArgument>>& arguments, const std::vector<std::byte>& record,
              std::vector<std::shared_ptr<MemoryHandle>>& held, const std::function<void()>& drain);

  const std::shared_ptr<VendorProgram> owner;
  const cl_kernel handle;
  const std::string name;

 private:
  /// What an argument was last set to. Values that were set are compared; nothing is kept alive.
  struct Slot {
    enum class Kind : std::uint8_t { unset, bytes, memory, local, sampler } kind = Kind::unset;
    std::uint64_t value = 0;  // serial, size or handle
    std::vector<std::byte> bytes;
  };
  Status set(cl_uint index, const NativeArgument& argument, std::vector<std::shared_ptr<MemoryHandle>>& held,
             const std::function<void()>& drain);
  Status set_bytes(cl_uint index, const std::vector<std::byte>& bytes);
  Status set_native(cl_uint index, Slot::Kind kind, std::uint64_t value, std::size_t size, const void* pointer);
  Slot& slot(cl_uint index);

  const KernelLimits limits_;
  std::weak_ptr<const std::vector<NativeArgument>> bound_;
  bool views_bound_ = false;
  std::vector<Slot> slots_;
};

}  // namespace skmd::icd
