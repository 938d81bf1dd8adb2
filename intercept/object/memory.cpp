// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/memory.h"

#include <atomic>
#include <utility>

namespace skmd::icd {

namespace {
constinit std::atomic<std::uint64_t> all_live_bytes{0};
}  // namespace

std::uint64_t live_bytes() { return all_live_bytes.load(std::memory_order_relaxed); }

/// Lives exactly as long as the bytes may be touched through this object: by its handle, its commands or its children.
struct Memory::Lease {
  Lease(std::shared_ptr<Storage> bytes, Executor* callbacks, bool root)
      : storage(std::move(bytes)), executor(callbacks), counted(root ? storage->bytes() : 0) {
    all_live_bytes.fetch_add(counted, std::memory_order_relaxed);
  }
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::shared_ptr<Storage> storage;
  Executor* executor;
  std::uint64_t counted;  // in live_bytes()
  std::vector<std::function<void()>> destructors;
};

Memory::Lease::~Lease() {
  storage.reset();
  all_live_bytes.fetch_sub(counted, std::memory_order_relaxed);
  call_destructors(std::move(destructors), executor);
}

Memory::Memory(Ref<Context> context, cl_mem_object_type type, cl_mem_flags flags, std::shared_ptr<Storage> storage,
               std::uint64_t offset, std::uint64_t size, void* host_ptr, Ref<Memory> parent,
               std::vector<cl_mem_properties> properties)
    : Object(Kind::memory),
      context_(std::move(context)),
      type_(type),
      flags_(flags),
      lease_(std::make_shared<Lease>(std::move(storage), context_->machine().executor, !parent)),
      storage_(lease_, lease_->storage.get()),
      offset_(offset),
      size_(size),
      host_ptr_(host_ptr),
      parent_(std::move(parent)),
      properties_(std::move(properties)) {
  // While DeviceMemory drops a replica, it owns the lease, which keeps the application's memory from being given back.
  if (!parent_) storage_->machine().memory.add(storage_);
}

Memory::~Memory() = default;

void Memory::add_destructor(Destructor function, void* user_data) {
  const MutexGuard lock(mutex_);
  lease_->destructors.emplace_back(
      [function, handle = reinterpret_cast<cl_mem>(slot()), user_data] { function(handle, user_data); });
}

void Memory::used_by(const std::shared_ptr<KeptLaunches>& launches) {
  const MutexGuard lock(mutex_);
  kept_launches_.add(launches);
}

}  // namespace skmd::icd
