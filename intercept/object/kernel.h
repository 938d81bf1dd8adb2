// SPDX-License-Identifier: Apache-2.0
// A kernel as built (immutable, outlives rebuilds while launches hold it) and as the application holds it (arguments).
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "intercept/backend/port/host_code.h"
#include "intercept/object/kept_launches.h"
#include "intercept/object/launch.h"
#include "intercept/object/memory.h"
#include "intercept/object/merge_program.h"
#include "intercept/object/native_builds.h"
#include "partitioner/base/mutex.h"
#include "partitioner/base/nd_range.h"
#include "partitioner/traits/traits.h"

namespace skmd::icd {

class Program;

/// Sample::kernel: a hash of program and name.
std::uint64_t kernel_id(const std::string& program_hash, const std::string& name);

/// KernelKey::form of a kernel's code on device `device`.
std::string form_of(const Machine& machine, const domain::KernelTraits& traits, std::uint32_t device);

/// Tells the machine's knowledge that launches of these kernels may come. Before the program is built: what is stored
/// of them is read meanwhile.
void expect_kernels(const Machine& machine, const std::string& program_hash,
                    const std::vector<domain::KernelTraits>& kernels);

/// One kernel of one successful build.
class BuiltKernel {
 public:
  BuiltKernel(Machine& machine, domain::KernelTraits traits, bool opaque, std::string program_hash,
              std::shared_ptr<NativeBuilds> builds, std::shared_ptr<HostCode> code = nullptr,
              std::shared_ptr<MergeProgram> merges = nullptr);
  /// Of a program that is built already; null: not on that device.
  BuiltKernel(Machine& machine, domain::KernelTraits traits, bool opaque, std::string program_hash,
              std::vector<std::shared_ptr<NativeProgram>> native, std::shared_ptr<HostCode> code = nullptr,
              std::shared_ptr<MergeProgram> merges = nullptr);

  [[nodiscard]] const domain::KernelTraits& traits() const { return traits_; }
  [[nodiscard]] bool opaque() const { return opaque_; }
  /// The program as text that needs no header, for launches that another process is to complete: null where launches
  /// cannot be controlled. Set before the application knows the kernel.
  void keep_text(std::shared_ptr<const SourceUnit> text) { text_ = std::move(text); }
  [[nodiscard]] const std::shared_ptr<const SourceUnit>& text() const { return text_; }
  /// It may take pointers out of memory and follow them, as far as is known.
  [[nodiscard]] bool may_follow_pointers() const;
  [[nodiscard]] const std::string& program_hash() const { return program_hash_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }  ///< kernel_id()
  /// The native kernel on device `index`, made at the first call; an error if the program is not built there. Waits for
  /// no build. Thread-safe.
  Result<std::shared_ptr<NativeKernel>> native(std::uint32_t index);
  /// The kernel's merge function, loaded at the first call; null where there is none. Thread-safe.
  [[nodiscard]] cpu::MergeFunction merge_function() const;
  /// The same as a kernel of device `index`, loaded at the first call; null where there is none. Thread-safe.
  [[nodiscard]] std::shared_ptr<NativeKernel> merge_kernel(std::uint32_t index) const;
  [[nodiscard]] bool built_on(std::uint32_t index) const { return builds_->built(index); }
  /// On which devices the program is built, and becomes so.
  [[nodiscard]] NativeBuilds& builds() const { return *builds_; }
  [[nodiscard]] const std::shared_ptr<NativeBuilds>& shared_builds() const { return builds_; }
  /// The anchor if the program can be built there, else the first device where it can: always the same one. Blocks
  /// until that is known. In single mode, the device that it names comes first.
  [[nodiscard]] std::uint32_t home() const;
  /// For each launch that is made: a second one of a kernel says that the program is going to be used, and its builds
  /// in the background come next.
  void launched();
  [[nodiscard]] Machine& machine() const { return machine_; }
  /// What clGetKernelWorkGroupInfo tells. Blocks until home() is known, and stays as it was first told: applications
  /// form their groups by it for as long as they run. Thread-safe.
  struct Told {
    std::uint64_t work_group_size = 0;
    std::uint64_t preferred_multiple = 1;
    std::uint64_t local_bytes = 0;  // without arguments
    std::uint64_t private_bytes = 0;
  };
  Told told();
  /// Whether a launch may have groups of so many work-items: at most what every device takes that has built the kernel
  /// when this is first asked, without those that are far below the anchor (they take no part in bigger launches), at
  /// most the virtual device's limit and never below a required size. Sets `limit` if not. Where a device that is built
  /// takes them, this does not wait for the anchor; otherwise it blocks until home() is known. A size that was accepted
  /// once is accepted again. Thread-safe.
  bool takes_group(std::uint64_t items, std::uint64_t& limit);

  /// Whether home()'s driver takes `bytes` for a by-value parameter whose size only it knows. Thread-safe.
  bool takes_value(std::uint32_t index, std::uint64_t bytes);

  /// SKMD_CHECK=deopt: work-items of a launch left device `index` because they trap. Thread-safe.
  void trapped_on(std::uint32_t index);
  /// Bit d: that was so in several launches on device d, which gets no more of them. Thread-safe.
  [[nodiscard]] std::uint64_t traps_often() const { return traps_often_.load(std::memory_order_acquire); }

  /// What launches of this kernel keep for later ones: a T, the same type in every call of memo(), which makes it at
  /// the first. Thread-safe.
  struct Memo {
    virtual ~Memo() = default;
  };
  template <class T>
  T& memo() {
    if (Memo* made = made_memo_.load(std::memory_order_acquire)) return static_cast<T&>(*made);
    const MutexGuard lock(mutex_);
    if (!memo_) memo_ = std::make_unique<T>();
    made_memo_.store(memo_.get(), std::memory_order_release);
    return static_cast<T&>(*memo_);
  }

 private:
  Machine& machine_;
  domain::KernelTraits traits_;
  bool opaque_;
  std::string program_hash_;
  std::uint64_t id_;
  const std::shared_ptr<NativeBuilds> builds_;
  std::shared_ptr<HostCode> code_;
  std::shared_ptr<MergeProgram> merges_;
  std::shared_ptr<const SourceUnit> text_;
  Mutex mutex_{LockRank::built_kernel};
  // Per device. Under mutex_, but for how many they are, which does not change.
  std::vector<std::shared_ptr<NativeKernel>> kernels_;
  std::uint64_t group_limit(std::uint64_t KernelLimits::*field, std::atomic<std::uint64_t>& cached);
  std::uint64_t limit_of(std::uint32_t index, std::uint64_t KernelLimits::*field);
  std::atomic<std::uint64_t> work_group_limit_{0};  // 0: not asked yet
  std::atomic<std::uint64_t> most_items_{0};        // likewise
  std::atomic<std::uint64_t> let_through_{0};       // the largest group so far that was
  std::atomic<std::uint32_t> launches_{0};          // while builds are wanted
  std::optional<Told> told_ SKMD_GUARDED_BY(mutex_);
  // Per parameter: a size that the anchor took; 0: none yet.
  std::vector<std::uint64_t> taken_bytes_ SKMD_GUARDED_BY(mutex_);
  std::unique_ptr<Memo> memo_ SKMD_GUARDED_BY(mutex_);
  std::atomic<Memo*> made_memo_{nullptr};
  std::vector<std::uint32_t> trapped_launches_ SKMD_GUARDED_BY(mutex_);  // per device; empty: none had any
  std::atomic<std::uint64_t> traps_often_{0};
};

/// cl_kernel. Setters of the same kernel may not run concurrently (specification); enqueues may.
class Kernel : public Object {
 public:
  Kernel(Ref<Program> program, std::shared_ptr<BuiltKernel> built);

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] const std::shared_ptr<BuiltKernel>& built() const { return built_; }
  /// Checks and keeps the value; on an error the old one stays. Handles are copied, not retained.
  Status set_argument(cl_uint index, size_t size, const void* value);
  /// clSetKernelArgSVMPointer: an address in the context's shared virtual memory, or at the end of an allocation, or
  /// null.
  Status set_svm_pointer(cl_uint index, const void* pointer);
  /// clSetKernelExecInfo: from now on these, and no others.
  void set_svm_pointers(std::vector<const void*> pointers);
  struct Frozen {
    std::vector<LaunchArgument> arguments;
    std::vector<std::shared_ptr<Storage>> reached;
  };
  /// Resolves handles and pointers now: an unset argument, or one whose memory was freed, is CL_INVALID_KERNEL_ARGS, a
  /// released buffer CL_INVALID_MEM_OBJECT.
  Result<Frozen> freeze() const;
  /// A launch of this range on `part` that was remembered and whose arguments freeze() would give again. Else null.
  [[nodiscard]] std::shared_ptr<const Launch> repeated(const domain::NdRange& range,
                                                       const Device* part = nullptr) const;
  /// For the next ones, until one of its memory objects is given up.
  void remember(const std::shared_ptr<const Launch>& launch);
  [[nodiscard]] Ref<Kernel> clone() const;
  /// Local memory of the currently set __local arguments, bytes.
  [[nodiscard]] std::uint64_t local_argument_bytes() const;

 protected:
  ~Kernel() override;

 private:
  enum class Form : std::uint8_t { unset, null, memory, sampler, local, value, svm };
  struct Argument {
    Form form = Form::unset;
    std::uint64_t local_bytes = 0;
    void* handle = nullptr;        // cl_mem, cl_sampler or address as given
    std::vector<std::byte> value;  // capacity kept: no allocation when set again
  };
  [[nodiscard]] Status check_index(cl_uint index) const;
  Status set_pointer(cl_uint index, size_t size, const void* value);
  Status set_image(cl_uint index, size_t size, const void* value);
  Status set_sampler(cl_uint index, size_t size, const void* value);
  Status set_local(cl_uint index, size_t size, const void* value);
  Status set_value(cl_uint index, size_t size, const void* value);
  /// For parameters of opaque programs whose vendor tells nothing: taken for what the value looks like.
  Status set_unknown(cl_uint index, size_t size, const void* value);
  /// Allocations that were looked up: they may be freed meanwhile, and must not die under the mutex.
  using Held = std::vector<Ref<Memory>>;
  Status freeze_argument(size_t index, LaunchArgument& out, Held& held) const;
  /// The view that an address in shared virtual memory names, if it lives.
  [[nodiscard]] std::optional<BufferView> svm_view(size_t index, Held& held) const;
  [[nodiscard]] std::vector<std::shared_ptr<Storage>> reached(Held& held) const;
  /// The memory object that an argument names, if it lives and suits the parameter. Else null.
  [[nodiscard]] Memory* suitable_memory(size_t index) const;
  [[nodiscard]] bool unchanged(size_t index, const LaunchArgument& frozen, Held& held) const;
  [[nodiscard]] bool unchanged(const Launch& launch, Held& held) const;

  Ref<Program> program_;
  std::shared_ptr<BuiltKernel> built_;
  const std::shared_ptr<KeptLaunches> kept_ = std::make_shared<KeptLaunches>();  // its mutex guards what follows, too
  std::vector<Argument> arguments_;
  std::vector<const void*> svm_pointers_;
};

}  // namespace skmd::icd
