// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/native_objects.h"

#include <algorithm>
#include <cstring>

#include "intercept/backend/vendor/native_error.h"
#include "intercept/backend/vendor/vendor_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

std::atomic<std::uint64_t> next_serial{1};

template <class T>
bool same_object(const std::weak_ptr<T>& a, const std::shared_ptr<T>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

Result<std::shared_ptr<NativeContext>> NativeContext::create(const cl_icd_dispatch* cl, cl_platform_id platform,
                                                             cl_device_id device) {
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform),
                                              0};
  cl_int code = CL_SUCCESS;
  cl_context made = cl->clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
  if (made == nullptr) return native_failure("clCreateContext", code);
  auto context = owned([&] { return std::unique_ptr<NativeContext>(new NativeContext(cl, device, made)); },
                       [&] { cl->clReleaseContext(made); });
  return std::shared_ptr<NativeContext>(std::move(context));
}

MemoryHandle::MemoryHandle(std::shared_ptr<NativeContext> context, cl_mem memory)
    : owner(std::move(context)), mem(memory), serial(next_serial.fetch_add(1, std::memory_order_relaxed)) {}

std::shared_ptr<MemoryHandle> owned_memory(const std::shared_ptr<NativeContext>& context, cl_mem memory) {
  return owned([&] { return std::make_shared<MemoryHandle>(context, memory); },
               [&] { context->cl->clReleaseMemObject(memory); });
}

void VendorMemory::clear_the_way(std::uint64_t offset, std::uint64_t size, const std::function<void()>& drain) {
  bool drained = false;
  for (auto it = views_.begin(); it != views_.end();) {
    const auto& [begin, bytes] = it->first;
    if (begin >= offset + size || offset >= begin + bytes) {
      ++it;
      continue;
    }
    if (!drained) drain();
    drained = true;
    it->second->retire();
    it = views_.erase(it);
  }
}

Result<std::shared_ptr<MemoryHandle>> VendorMemory::view(std::uint64_t offset, std::uint64_t size,
                                                         const std::function<void()>& drain) {
  if (offset == 0) return whole_;
  MutexGuard lock(mutex_);
  if (const auto found = views_.find({offset, size}); found != views_.end()) return found->second;
  if (!overlaps_) clear_the_way(offset, size, drain);
  const cl_buffer_region region{offset, size};
  cl_int code = CL_SUCCESS;
  const auto& owner = whole_->owner;
  cl_mem made =
      owner->cl->clCreateSubBuffer(whole_->mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (made == nullptr) {
    domain::Error error = native_failure("clCreateSubBuffer", code);
    error.reason += " for a view of " + std::to_string(size) + " bytes at offset " + std::to_string(offset);
    return error;
  }
  return keep(offset, size, made);
}

std::shared_ptr<MemoryHandle> VendorMemory::keep(std::uint64_t offset, std::uint64_t size, cl_mem made) {
  if (views_.size() >= kMaxViews) views_.clear();
  return views_.emplace(std::make_pair(offset, size), owned_memory(whole_->owner, made)).first->second;
}

Result<std::shared_ptr<MemoryHandle>> VendorMemory::at_address(std::uint64_t offset, std::uint64_t size,
                                                               const std::function<void()>& drain) {
  if (host_ == nullptr || offset == 0) return view(offset, size, drain);
  MutexGuard lock(mutex_);
  if (const auto found = views_.find({offset, size}); found != views_.end()) return found->second;
  const auto& owner = whole_->owner;
  cl_int code = CL_SUCCESS;
  cl_mem made = owner->cl->clCreateBuffer(owner->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                          std::max<std::uint64_t>(size, 1), host_ + offset, &code);
  if (made == nullptr) {
    domain::Error error = native_failure("clCreateBuffer", code);
    error.reason += " for " + std::to_string(size) + " bytes at offset " + std::to_string(offset);
    return error;
  }
  return keep(offset, size, made);
}

Status VendorKernel::bind(const std::shared_ptr<const std::vector<NativeArgument>>& arguments,
                          const std::vector<std::byte>& record, std::vector<std::shared_ptr<MemoryHandle>>& held,
                          const std::function<void()>& drain) {
  const cl_uint count = arguments ? static_cast<cl_uint>(arguments->size()) : 0;
  // A frozen list that is still the one last bound needs no look at its values; views are asked for again, because the
  // batch has to hold them.
  if (arguments && (views_bound_ || !same_object(bound_, arguments))) {
    bound_.reset();
    views_bound_ = false;
    const std::size_t before = held.size();
    for (cl_uint i = 0; i < count; ++i) {
      if (auto done = set(i, (*arguments)[i], held, drain); !done) return done;
    }
    for (std::size_t i = before; i < held.size(); ++i)
      if (held[i]->retired()) return domain::Error{CL_INVALID_ARG_VALUE, "sub-buffers among the arguments overlap"};
    views_bound_ = held.size() != before;
    bound_ = arguments;
  }
  return record.empty() ? Status{} : set_bytes(count, record);
}

Status VendorKernel::set(cl_uint index, const NativeArgument& argument,
                         std::vector<std::shared_ptr<MemoryHandle>>& held, const std::function<void()>& drain) {
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&argument)) return set_bytes(index, *bytes);
  if (const auto* local = std::get_if<LocalArgument>(&argument)) {
    return set_native(index, Slot::Kind::local, local->bytes, local->bytes, nullptr);
  }
  if (const auto* sampler = std::get_if<SamplerArgument>(&argument)) {
    const cl_sampler native = static_cast<const VendorSampler&>(*sampler->sampler).handle;
    return set_native(index, Slot::Kind::sampler, reinterpret_cast<std::uintptr_t>(native), sizeof native, &native);
  }
  const auto* buffer = std::get_if<BufferArgument>(&argument);
  const auto& memory = buffer != nullptr ? buffer->memory : std::get_if<ImageArgument>(&argument)->memory;
  if (!memory) return set_native(index, Slot::Kind::memory, 0, sizeof(cl_mem), nullptr);
  const std::uint64_t offset = buffer != nullptr ? buffer->offset : 0;
  const std::uint64_t size = buffer != nullptr ? buffer->size : 0;
  auto& native_memory = static_cast<VendorMemory&>(*memory);
  auto view = buffer != nullptr && buffer->address ? native_memory.at_address(offset, size, drain)
                                                   : native_memory.view(offset, size, drain);
  if (!view) return view.error();
  const cl_mem mem = (*view)->mem;
  const std::uint64_t serial = (*view)->serial;
  if (offset != 0) held.push_back(std::move(*view));
  return set_native(index, Slot::Kind::memory, serial, sizeof mem, &mem);
}

VendorKernel::Slot& VendorKernel::slot(cl_uint index) {
  if (index >= slots_.size()) slots_.resize(index + 1);
  return slots_[index];
}

Status VendorKernel::set_bytes(cl_uint index, const std::vector<std::byte>& bytes) {
  Slot& last = slot(index);
  // memcmp: compilers compare vectors of std::byte one by one.
  const bool same = last.kind == Slot::Kind::bytes && last.bytes.size() == bytes.size() &&
                    (bytes.empty() || std::memcmp(last.bytes.data(), bytes.data(), bytes.size()) == 0);
  if (same) return {};
  last.kind = Slot::Kind::unset;
  if (auto done = set_native(index, Slot::Kind::bytes, 0, bytes.size(), bytes.data()); !done) return done;
  last.bytes = bytes;
  return {};
}

Status VendorKernel::set_native(cl_uint index, Slot::Kind kind, std::uint64_t value, std::size_t size,
                                const void* pointer) {
  Slot& last = slot(index);
  if (last.kind == kind && kind != Slot::Kind::bytes && last.value == value) return {};
  const cl_int code = owner->owner->cl->clSetKernelArg(handle, index, size, pointer);
  if (code != CL_SUCCESS) {
    last.kind = Slot::Kind::unset;
    domain::Error error = native_failure("clSetKernelArg", code);
    error.reason += " for argument " + std::to_string(index) + " of " + std::to_string(size) + " bytes";
    return error;
  }
  last.kind = kind;
  last.value = value;
  return {};
}

}  // namespace skmd::icd
