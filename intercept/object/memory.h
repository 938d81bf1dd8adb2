// SPDX-License-Identifier: Apache-2.0
// cl_mem: buffers, sub-buffers and images as the application sees them: flags, views of a root, mappings. No bytes
// here.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <memory>
#include <vector>

#include "intercept/memory/rect_region.h"
#include "intercept/memory/storage.h"
#include "intercept/object/context.h"
#include "intercept/object/destructors.h"
#include "intercept/object/handle.h"
#include "intercept/object/kept_launches.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class PreparedRequest;

/// Bytes of all root objects that a handle, a command or a child may still touch. Thread-safe.
std::uint64_t live_bytes();

/// One outstanding clEnqueueMap…: counted by (pointer, flags, range) on the object it was made through.
struct Mapping {
  void* pointer = nullptr;
  cl_map_flags flags = 0;
  domain::RangeSet ranges;  // root offsets; a rectangle of an image is a set of rows
  RectRegion region;        // the same bytes
  /// Set when the map command has ended well: before that, and without it, the pointer shows nothing of the object.
  /// Not any more when the unmap has run, either.
  std::shared_ptr<std::atomic<bool>> made;
  /// Of a mapping for writing: what end_mapping() carries out.
  std::shared_ptr<PreparedRequest> end;
};

class Memory : public Object {
 public:
  using Destructor = void(CL_CALLBACK*)(cl_mem, void*);

  Memory(Ref<Context> context, cl_mem_object_type type, cl_mem_flags flags, std::shared_ptr<Storage> storage,
         std::uint64_t offset, std::uint64_t size, void* host_ptr, Ref<Memory> parent,
         std::vector<cl_mem_properties> properties);

  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] cl_mem_object_type type() const { return type_; }
  [[nodiscard]] cl_mem_flags flags() const { return flags_; }
  /// Destructor callbacks run when the last copy is gone: commands hold this, not the Memory.
  [[nodiscard]] const std::shared_ptr<Storage>& storage() const { return storage_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }  ///< of this view in the root, bytes
  [[nodiscard]] std::uint64_t size() const { return size_; }      ///< of this view, bytes
  [[nodiscard]] void* host_ptr() const { return host_ptr_; }
  [[nodiscard]] const Ref<Memory>& parent() const { return parent_; }  ///< sub-buffer, image over buffer
  /// Over memory of clSVMAlloc: that allocation, or a buffer whose parent it is.
  [[nodiscard]] bool in_svm() const { return storage_->is_shared(); }
  /// What clSVMAlloc made.
  [[nodiscard]] bool is_allocation() const { return in_svm() && !parent_; }
  [[nodiscard]] const std::vector<cl_mem_properties>& properties() const { return properties_; }
  [[nodiscard]] bool is_image() const { return type_ != CL_MEM_OBJECT_BUFFER; }
  /// Images only: format and extents as the application gave them, host pitches included.
  [[nodiscard]] const ImageShape& image() const { return image_; }
  void set_image(const ImageShape& shape) { image_ = shape; }

  /// Called, last registered first, when neither the object nor a command uses the bytes any more and all native
  /// objects over them are gone: with CL_MEM_USE_HOST_PTR this is the application's cue to free. See DestructorsHere
  /// for the thread.
  void add_destructor(Destructor function, void* user_data);

  /// A kernel keeps launches with this object, which go with it. Thread-safe.
  void used_by(const std::shared_ptr<KeptLaunches>& launches);

  Mutex& mutex() SKMD_RETURNS_LOCK(mutex_) { return mutex_; }
  std::vector<Mapping>& mappings() SKMD_REQUIRES(mutex_) { return mappings_; }  ///< under mutex()

 protected:
  ~Memory() override;

 private:
  Ref<Context> context_;
  cl_mem_object_type type_;
  cl_mem_flags flags_;
  struct Lease;
  std::shared_ptr<Lease> lease_;
  std::shared_ptr<Storage> storage_;  // shares ownership of the lease
  std::uint64_t offset_, size_;
  void* host_ptr_;
  Ref<Memory> parent_;
  std::vector<cl_mem_properties> properties_;
  ImageShape image_;
  Mutex mutex_{LockRank::memory};
  std::vector<Mapping> mappings_ SKMD_GUARDED_BY(mutex_);
  KeptLaunchesOf kept_launches_ SKMD_GUARDED_BY(mutex_);  // the first to go: its launches hold the lease
};

class Sampler : public Object {
 public:
  Sampler(Ref<Context> context, bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
          std::vector<cl_sampler_properties> list)
      : Object(Kind::sampler),
        context_(std::move(context)),
        normalized_(normalized),
        addressing_(addressing),
        filter_(filter),
        list_(std::move(list)) {}
  [[nodiscard]] Context& context() const { return *context_; }
  [[nodiscard]] bool normalized() const { return normalized_; }
  [[nodiscard]] cl_addressing_mode addressing() const { return addressing_; }
  [[nodiscard]] cl_filter_mode filter() const { return filter_; }
  [[nodiscard]] const std::vector<cl_sampler_properties>& property_list() const { return list_; }

 private:
  Ref<Context> context_;
  bool normalized_;
  cl_addressing_mode addressing_;
  cl_filter_mode filter_;
  std::vector<cl_sampler_properties> list_;
};

}  // namespace skmd::icd
