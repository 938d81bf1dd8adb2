// SPDX-License-Identifier: Apache-2.0
// The device port: everything that is asked of one real device. Its adapters are VendorDevice (a vendor's OpenCL
// library), LateDevice (the same, opened at its first use), CpuDevice and CpuPart (our CPU driver) and BareHost (a host
// without any other CPU driver). Native handles stay inside the adapters.
//
// Threads: every function may be called from any thread at once. A device executes its batches strictly in the order
// of submit(). Locks: submit() takes the device's own mutexes only; completions run with no lock held.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "intercept/backend/port/health.h"
#include "intercept/backend/port/saved_groups.h"
#include "intercept/backend/port/stop_token.h"
#include "partitioner/base/nd_range.h"
#include "partitioner/base/result.h"
#include "partitioner/residency/residency.h"
#include "partitioner/residency/transfer.h"

namespace skmd::icd {

using domain::Result;
using domain::Status;

enum class DeviceKind : std::uint8_t { cpu, gpu, accelerator };

/// How a device can be made to end a launch early.
enum class StopForm : std::uint8_t {
  none,   // not at all: every batch runs to its end, and nothing else runs meanwhile
  cut,    // between launches: a launch is given to it in pieces
  group,  // between work-groups of a launch (RunOp::stop, RunOp::quantum_ns)
  item,   // inside of them (RunOp::saved), where the kernel has such code (Device::yields())
};

struct DeviceDescription {
  std::string name;      // CL_DEVICE_NAME, as the stats show it
  std::string platform;  // CL_PLATFORM_NAME
  DeviceKind kind = DeviceKind::cpu;
  std::string vendor;      // CL_DEVICE_VENDOR; "" of a BareHost
  std::string backend;     // "icd", "cpu-driver", or "remote": a vendor's driver that reaches another machine
  std::string host;        // that machine, as SKMD_HOSTS names it; "": the device is in this one
  std::string processor;   // of the CPU driver: what it runs on, as that calls itself, with any driver beside it
  std::string arithmetic;  // driver version + vendor + model: equal for devices whose floats round alike (PoCL's
                           // devices count as one)
  bool discrete = true;    // has a memory space of its own; false: uses host memory in place
  bool blocking = false;   // the driver runs work inside enqueue or flush (found by a probe)
  /// What it runs may be rounded in more than one way: a virtual device in another machine, made of several.
  bool rounds_unlike_itself = false;
  /// Kernels may be given sub-buffers of one buffer that overlap; where not, they crash the driver.
  bool overlapping_views = true;
  /// part() gives parts: its compute units are threads of ours.
  bool partitionable = false;
  /// load() takes PTX.
  bool takes_ptx = false;
  StopForm stops = StopForm::cut;  // between groups: never `item`
  bool stops_inside = false;       // launches of kernels that have such code can also be stopped by StopForm::item
  bool leaves_at_traps = false;    // its launches can be checked: trap_form() says which
  /// What our own code generator compiles for it, as compilers know it; "": it runs no code of ours.
  std::string code_target;
  domain::SpaceId space = domain::kHostSpace;  // assigned at composition
};

/// What a kernel takes on a device, for eligibility.
struct KernelLimits {
  std::uint64_t work_group_size = 0;  // CL_KERNEL_WORK_GROUP_SIZE, work-items
  std::uint64_t most_items = 0;  // the largest work-group that the driver runs, work-items; at least work_group_size
  std::uint64_t preferred_multiple = 1;
  std::uint64_t local_bytes = 0;  // bytes of static local memory, as the device reports them
  std::uint64_t private_bytes = 0;
};

/// Of a kernel's code that can be stopped inside of groups.
struct YieldInfo {
  std::uint64_t schema = 0;  // states of equal ones can be exchanged
  std::uint32_t points = 0;  // where it can be stopped
  bool together = false;     // all items of a group leave at one of them; false: each by itself
};

/// Of a kernel's checked code on a device that work-items leave where they would trap (SKMD_CHECK=deopt).
struct TrapForm {
  bool exists = false;        // RunOp::saved gets the items that left
  bool only_buffers = false;  // nothing can trap but accesses of arguments' buffers and of local memory
  std::uint64_t schema = 0;   // as of a YieldInfo
  std::string why_not = {};   // why it does not exist: a reason that statistics know, and behind ": " words
  bool goes_on = false;       // with `exists`: no item leaves; BatchResult::trapped tells of those that trapped
};

/// What a launch asks of such code.
struct YieldNeeds {
  std::uint64_t groups = 0;       // of the whole launch
  std::uint64_t items = 0;        // work-items of a group
  std::uint64_t local_bytes = 0;  // of local arguments
};

/// Opaque native objects. Destroyed when the last reference goes; a batch holds what it uses until it completes.
class NativeProgram {
 public:
  virtual ~NativeProgram() = default;
};
class NativeKernel {
 public:
  virtual ~NativeKernel() = default;
  [[nodiscard]] virtual const KernelLimits& limits() const = 0;
  /// The device has no code of its own for it: another driver beside it runs it.
  [[nodiscard]] virtual bool runs_elsewhere() const { return false; }
};
class NativeMemory {
 public:
  virtual ~NativeMemory() = default;
};
class NativeSampler {
 public:
  virtual ~NativeSampler() = default;
};

/// One translation unit as a vendor's compiler gets it: its text and what it was compiled with.
struct SourceUnit {
  std::string text;
  std::string options;
};

/// One argument of a native launch.
struct BufferArgument {
  std::shared_ptr<NativeMemory> memory;  // null: a null pointer
  std::uint64_t offset = 0;              // bytes; a multiple of the virtual device's base alignment
  std::uint64_t size = 0;                // bytes of the view; the whole buffer if offset is 0 and size the buffer's
  /// A pointer into shared virtual memory: on a device that uses host memory in place, `offset` may have any alignment
  /// and may be the buffer's end.
  bool address = false;
};
struct LocalArgument {
  std::uint64_t bytes = 0;
};
struct ImageArgument {
  std::shared_ptr<NativeMemory> memory;
};
struct SamplerArgument {
  std::shared_ptr<NativeSampler> sampler;
};
using NativeArgument =
    std::variant<std::vector<std::byte>, BufferArgument, LocalArgument, ImageArgument, SamplerArgument>;

/// Copies `rows` from host memory to a buffer. `host` is the address of the buffer's byte 0: offsets are the same on
/// both sides.
struct WriteOp {
  std::shared_ptr<NativeMemory> memory;
  const std::byte* host = nullptr;
  domain::RowRun rows;
  /// Non-null: the host memory is page-locked for the device (page_lock()) for as long as this lives. It must not
  /// change until the op has ended.
  std::shared_ptr<const void> locked = nullptr;
};
struct ReadOp {
  std::shared_ptr<NativeMemory> memory;
  std::byte* host = nullptr;
  domain::RowRun rows;
  /// The rows come one behind the other from `host` on. Only for rows that are a rectangle (rectangles.h).
  bool packed = false;
  std::shared_ptr<const void> locked = nullptr;  // as of a WriteOp
};
struct FillOp {
  std::shared_ptr<NativeMemory> memory;
  std::vector<std::byte> pattern;
  std::uint64_t offset = 0, bytes = 0;
};
struct CopyOp {
  std::shared_ptr<NativeMemory> from, to;
  std::uint64_t from_offset = 0, to_offset = 0, bytes = 0;
};
/// A box of rows between two buffers of the device, which share no byte of it: bytes per row, rows, slices.
struct CopyRectOp {
  std::shared_ptr<NativeMemory> from, to;
  std::uint64_t from_begin = 0, to_begin = 0;
  std::uint64_t region[3] = {0, 0, 0};
  std::uint64_t from_pitch[2] = {0, 0}, to_pitch[2] = {0, 0};  // of rows, of slices
};
/// `host` is the tightly packed image, `rows` are bytes of that layout, in whole elements.
struct WriteImageOp {
  std::shared_ptr<NativeMemory> image;
  const std::byte* host = nullptr;
  domain::RowRun rows;
};
struct ReadImageOp {
  std::shared_ptr<NativeMemory> image;
  std::byte* host = nullptr;
  domain::RowRun rows;
};
struct RunOp {
  std::shared_ptr<NativeKernel> kernel;
  std::shared_ptr<const std::vector<NativeArgument>> arguments;  // all of them, without the hidden record
  std::vector<std::byte> record;                                 // hidden last argument; empty: none
  domain::NdRange range;                                         // native: offset, global and local of the box
  // Of devices with StopForm::group, which may still run a launch to its end; others take no notice of either.
  std::shared_ptr<StopToken> stop = {};  // the launch is to end once this is requested; null: it runs to its end
  std::uint64_t quantum_ns = 0;  // it is to end after so long if another batch of the device waits; 0: it need not
  /// Of kernels that Device::yields() knows: groups go on from what is there, and those that are stopped inside are put
  /// there. Of kernels that Device::trap_form() knows, likewise groups of which work-items left the device. Null:
  /// groups run to their ends.
  std::shared_ptr<SavedGroups> saved = {};
  /// With `saved`: only these groups of `range` run, which is the whole launch's: what a group has kept of its place
  /// holds wherever it goes on.
  domain::GroupSpan groups = {};
  bool groups_wait = false;  // with `saved`: as many groups are to run at once as the device holds, since they may wait
                             // for each other
};
using Op = std::variant<WriteOp, ReadOp, FillOp, CopyOp, CopyRectOp, WriteImageOp, ReadImageOp, RunOp>;

/// Times of one op on the host's steady clock, nanoseconds; `device_ns` is the native duration, 0 if unknown, and
/// `waited_ns` what of it the device took to begin, 0 if unknown.
struct OpTime {
  std::uint64_t start = 0, end = 0, device_ns = 0, waited_ns = 0;
};

struct BatchResult {
  cl_int status = CL_SUCCESS;  // first failure's code; later ops of a failed batch may or may not have run
  std::string reason;
  std::vector<OpTime> times;  // one per op; empty when the batch did not ask for times, or there are none
  Fault fault = Fault::none;
  std::size_t accepted = SIZE_MAX;  // index of the first op that never reached the device
  /// Set if a launch ended early, which is no failure: groups of op `op`, or of its RunOp::groups, from the `groups`th
  /// on, in the order of flattened ids, and all ops behind it did not run; everything before did. Only of batches whose
  /// launches may end.
  struct Left {
    std::size_t op = 0;
    std::uint64_t groups = 0;
    std::uint64_t begun = 0;  // groups from here on have not begun; before, they may have, or have ended (RunOp::saved)
  };
  std::optional<Left> left = {};
  /// A launch ended before all of its groups had run because its kernel said so, and that it has done its work
  /// (ARM_TERMINATION_SUCCESS of cl_arm_controlled_kernel_termination).
  bool ended_itself = false;
  /// SKMD_CHECK=deopt: the launches ran to their ends, and some work-items trapped: what the application's launch ends
  /// with in the end. Which is no failure of the batch: its results count.
  std::optional<domain::Error> trapped = {};
};

struct Batch {
  std::vector<Op> ops;
  /// Instead of `ops`, which are empty then: a list that many batches have in common. It stays until `done` is called.
  const std::vector<Op>* shared_ops = nullptr;
  [[nodiscard]] const std::vector<Op>& work() const { return shared_ops != nullptr ? *shared_ops : ops; }
  bool want_times = false;
  /// Holds a launch that the device has not run in this form before: a driver may compile it now, on a thread of its
  /// own.
  bool first_use = false;
  /// The end of this batch alone is not needed: where failures persist (QueueHabits::failures_stay), the end of a later
  /// batch may be taken for it.
  bool quiet = false;
  /// The submitting thread waits for this batch at once, and no other thread does: it counts as quiet on a device that
  /// only one thread submits to, and on an idle device a small read may complete inside submit().
  bool awaited = false;
  /// A thread that waits for this batch calls help() with its ticket, and waits for no other device before: where one
  /// is expected, no thread need be woken for it.
  bool helped = false;
  /// Called exactly once, after all ops have ended, on a thread of the adapter's or a thread in help() or tidy().
  /// Inside submit() only if nothing was queued (the device cannot be opened, has no queue or is a BareHost, or the
  /// process is a child of fork()). Must not block or throw; may call submit().
  std::function<void(BatchResult&&)> done;
};

using Ticket = std::uint64_t;  // ascending per device

/// What an image is (clCreateImage), for native creation.
struct ImageShape {
  cl_image_format format{};
  cl_image_desc desc{};  // host pitches zero; `buffer` unused
  std::uint64_t element_bytes = 0;
  std::uint64_t buffer_offset = 0, buffer_bytes = 0;  // of an image over a buffer: its bytes in there
};

class LinkProbe;
class PinnedPieces;

class Device {
 public:
  virtual ~Device() = default;

  /// The adapter reports every batch's end to it before the batch's `done`.
  [[nodiscard]] const std::shared_ptr<Health>& health() const { return health_; }

  [[nodiscard]] virtual const DeviceDescription& description() const = 0;
  virtual void assign_space(domain::SpaceId space) = 0;
  /// The bytes that clGetDeviceInfo() returns, cached. Error: the native driver's code.
  [[nodiscard]] virtual Result<std::vector<std::byte>> info(cl_device_info name) const = 0;
  [[nodiscard]] virtual Result<std::vector<cl_image_format>> image_formats(cl_mem_flags flags,
                                                                           cl_mem_object_type type) const = 0;

  /// Blocks for as long as the vendor's compiler takes. `log` is set in every case. Thread-safe; several builds run in
  /// parallel.
  virtual Result<std::shared_ptr<NativeProgram>> build(const std::string& text, const std::string& options,
                                                       std::string& log) = 0;
  /// Compiles units, each with its own options, and links them natively, for programs that our front end cannot join.
  /// Blocks and logs as build().
  virtual Result<std::shared_ptr<NativeProgram>> build_linked(const std::vector<SourceUnit>& units,
                                                              const std::string& link_options, std::string& log) = 0;
  /// Vendor's own binary of a built program, and back. An error means: build from text.
  virtual Result<std::vector<std::byte>> binary(const NativeProgram& program) = 0;
  virtual Result<std::shared_ptr<NativeProgram>> load(const std::vector<std::byte>& binary,
                                                      const std::string& options) = 0;
  virtual Result<std::vector<std::string>> kernel_names(const NativeProgram& program) = 0;
  /// For opaque programs: parameters as clGetKernelArgInfo tells them, where the driver does.
  virtual Result<std::uint32_t> argument_count(NativeKernel& kernel) = 0;
  virtual Result<std::vector<std::byte>> argument_info(NativeKernel& kernel, std::uint32_t index,
                                                       cl_kernel_arg_info name) = 0;
  /// The kernel's required work-group size in work-items; zeros: it requires none.
  virtual Result<std::array<std::uint32_t, 3>> required_local(NativeKernel& kernel) = 0;
  /// Whether a by-value argument may have so many bytes; an adapter that cannot tell says yes. Changes nothing.
  virtual bool takes_value(NativeKernel& kernel, std::uint32_t index, std::uint64_t bytes) {
    (void)kernel, (void)index, (void)bytes;
    return true;
  }

  virtual Result<std::shared_ptr<NativeKernel>> kernel(const std::shared_ptr<NativeProgram>& program,
                                                       const std::string& name) = 0;
  /// Of the kernel's code that can be stopped inside of groups (RunOp::saved) for a launch of `needs`; nothing if there
  /// is none, or not yet: then it is made on another thread. `wait`: blocks until it is known. Thread-safe.
  virtual std::optional<YieldInfo> yields(NativeKernel& kernel, const YieldNeeds& needs, bool wait) {
    (void)kernel, (void)needs, (void)wait;
    return std::nullopt;
  }

  /// Blocks until it is known. Thread-safe.
  virtual TrapForm trap_form(NativeKernel& kernel, const YieldNeeds& needs) {
    (void)kernel, (void)needs;
    return {.why_not = "no_form_here: its code is not checked on this device"};
  }

  /// A buffer of `bytes` bytes, made with CL_MEM_READ_WRITE and without CL_MEM_HOST_* flags. `host` non-null, which
  /// only devices that are not discrete take: the buffer uses that memory in place. Error: the native driver's code, or
  /// CL_OUT_OF_RESOURCES of a disabled device.
  virtual Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) = 0;
  virtual Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                               const std::shared_ptr<NativeMemory>& buffer) = 0;
  virtual Result<std::shared_ptr<NativeSampler>> sampler(bool normalized, cl_addressing_mode addressing,
                                                         cl_filter_mode filter) = 0;

  /// Returns the batch's ticket, or 0 if nothing was queued and `done` has been called. Does not wait for work that the
  /// device was given before, but for one case: a large write may wait for a piece of page-locked memory that an
  /// earlier transfer uses. A driver that runs work inside its calls gets a submitting thread inside the adapter. May
  /// copy pageable memory. std::bad_alloc: nothing was submitted, and `done` is not called.
  virtual Ticket submit(Batch&& batch) = 0;
  /// Blocks until batch `ticket` and its `done` have run; the calling thread may wait natively and complete batches
  /// itself, where that is faster than waiting for another thread. Of a batch with RunOp::saved it may return before.
  virtual void help(Ticket ticket) = 0;
  /// Completes older batches that have ended, once enough of them are open. Called by the thread that submitted
  /// `ticket`, with no lock held. Never waits for the device. A thread of the adapter's completes them otherwise, which
  /// costs the caller more: the two share cache lines.
  virtual void tidy(Ticket ticket) = 0;
  /// Compute units [first, first + count), as a device that runs this one's kernels on its memory, and must not outlive
  /// it: its batches have an order of their own. Null where the driver cannot address single units.
  virtual std::shared_ptr<Device> part(std::uint32_t first, std::uint32_t count) {
    (void)first, (void)count;
    return nullptr;
  }
  /// Page-locked memory for reads, on devices that read pageable memory slowly; null elsewhere. Large writes are
  /// staged inside the adapter: their enqueue may block for as long as the host's threads copy.
  virtual PinnedPieces* pinned_pieces() { return nullptr; }
  /// Page-locked memory for single reads of at most kSmallPiece bytes, which are enqueued behind other commands instead
  /// of after their end, and for reads of less than kStagedLeast bytes. Null also until enough pieces were asked for to
  /// pay for the allocation.
  virtual PinnedPieces* small_pieces() { return nullptr; }
  /// Page-locks host memory for this device: transfers from and to any part of it go at the link's rate and are not
  /// copied by the host. It stays so while the result lives, which must be gone before the memory is unmapped. The
  /// bytes do not change. Blocks for 0.02 ms a megabyte, 0.2 where pages were never touched. Null where it gains
  /// nothing, or the driver refuses.
  virtual std::shared_ptr<void> page_lock(std::byte* host, std::uint64_t bytes) {
    (void)host, (void)bytes;
    return nullptr;
  }
  /// A vendor's library has a context for this device, and what belongs to it. Thread-safe.
  [[nodiscard]] virtual bool has_native_context() const { return true; }
  /// Makes what the first build needs beside its text, where that takes long (a GPU's context: 0.1 s), and blocks until
  /// it is there. Where it fails, so does a build, unless the device was set aside for it. Thread-safe.
  virtual void prepare_builds() {}
  /// For calibration: transfers by ways that the adapter would not choose (link_probe.h). Null where submit() is the
  /// only way; an error where the device cannot be used.
  virtual Result<std::shared_ptr<LinkProbe>> link_probe() { return std::shared_ptr<LinkProbe>(); }

 private:
  const std::shared_ptr<Health> health_ = std::make_shared<Health>();
};

}  // namespace skmd::icd
