// SPDX-License-Identifier: Apache-2.0
// The device port: everything the driver asks of one real device, whoever drives it (a vendor's OpenCL library, later
// our CPU driver). Two adapters implement it; nobody else sees native handles.
//
// Threads: every function may be called from any thread at once. A device executes its batches strictly in the order
// of submit(). Locks: submit() takes the device's own mutex only; completions run with no lock held.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "intercept/backend/health.h"
#include "partitioner/nd_range.h"
#include "partitioner/residency.h"
#include "partitioner/result.h"
#include "partitioner/transfer.h"

namespace skmd::icd {

using domain::Result;
using domain::Status;

enum class DeviceKind : std::uint8_t { cpu, gpu, accelerator };

struct DeviceDescription {
  std::string name;      // CL_DEVICE_NAME, as the stats show it
  std::string platform;  // CL_PLATFORM_NAME
  DeviceKind kind = DeviceKind::cpu;
  std::string vendor;      // CL_DEVICE_VENDOR; "" where nobody needs it
  std::string backend;     // "icd" or "cpu-driver"
  std::string arithmetic;  // driver version + vendor + model: equal for devices whose floats round alike (PoCL's
                           // devices count as one)
  bool discrete = true;    // has a memory space of its own; false: uses host memory in place
  bool blocking = false;   // the driver runs work inside enqueue or flush (found by a probe)
  /// Kernels may be given sub-buffers of one buffer that overlap; where not, they crash the driver.
  bool overlapping_views = true;
  /// part() gives parts: its compute units are threads of ours.
  bool partitionable = false;
  /// load() takes PTX.
  bool takes_ptx = false;
  /// What our own code generator compiles for it, as compilers know it; "": it runs no code of ours.
  std::string code_target;
  domain::SpaceId space = domain::kHostSpace;  // assigned at composition
};

/// What a device can take, for eligibility (semantics note, rule 3).
struct KernelLimits {
  std::uint64_t work_group_size = 0;  // what the driver says
  std::uint64_t most_items = 0;       // what it takes: at least as much
  std::uint64_t preferred_multiple = 1;
  std::uint64_t local_bytes = 0;  // static, as the device reports it
  std::uint64_t private_bytes = 0;
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
  /// Shared virtual memory: where host memory is used in place, `offset` may be any, also the buffer's end.
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

/// host address of root byte 0 is `host`: the same offsets on both sides.
struct WriteOp {
  std::shared_ptr<NativeMemory> memory;
  const std::byte* host = nullptr;
  domain::RowRun rows;
};
struct ReadOp {
  std::shared_ptr<NativeMemory> memory;
  std::byte* host = nullptr;
  domain::RowRun rows;
  /// The rows come one behind the other from `host` on. Only for rows that are a rectangle (rectangles.h).
  bool packed = false;
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
  std::size_t accepted = SIZE_MAX;  // ops from here on never reached the device
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
  /// Nobody will ask for this batch's end alone: where a driver's failures stay, a later batch's end may stand for it.
  bool quiet = false;
  /// Its submitter waits for it at once, and nobody else will: quiet on a device that only one thread uses, and a small
  /// read of one that has nothing else to do may be waited for inside submit().
  bool awaited = false;
  /// Called exactly once, after all ops have ended, on the device's progress thread, its submitting thread or a thread
  /// in help(); never inside submit() for drivers that do not block. Must not block; may call submit().
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

  /// Told of every batch's end before its `done`, by the adapter.
  [[nodiscard]] const std::shared_ptr<Health>& health() const { return health_; }

  [[nodiscard]] virtual const DeviceDescription& description() const = 0;
  virtual void assign_space(domain::SpaceId space) = 0;
  /// Raw answer of clGetDeviceInfo / clGetPlatformInfo-like queries, cached; error code as the native driver gave it.
  [[nodiscard]] virtual Result<std::vector<std::byte>> info(cl_device_info name) const = 0;
  [[nodiscard]] virtual Result<std::vector<cl_image_format>> image_formats(cl_mem_flags flags,
                                                                           cl_mem_object_type type) const = 0;

  /// Blocks for as long as the vendor's compiler takes. `log` is set in every case. Thread-safe; several builds run in
  /// parallel.
  virtual Result<std::shared_ptr<NativeProgram>> build(const std::string& text, const std::string& options,
                                                       std::string& log) = 0;
  /// Units, each compiled with its own options, → one executable, natively, for programs that our front end cannot
  /// join. Blocks and logs as build().
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
  virtual Result<std::array<std::uint32_t, 3>> required_local(NativeKernel& kernel) = 0;
  /// Whether a by-value argument may have so many bytes; an adapter that cannot tell says yes. Changes nothing.
  virtual bool takes_value(NativeKernel& kernel, std::uint32_t index, std::uint64_t bytes) {
    (void)kernel, (void)index, (void)bytes;
    return true;
  }

  virtual Result<std::shared_ptr<NativeKernel>> kernel(const std::shared_ptr<NativeProgram>& program,
                                                       const std::string& name) = 0;

  /// READ_WRITE, never HOST_*. `host` non-null only for devices that are not discrete: the buffer lives there, in
  /// place.
  virtual Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) = 0;
  virtual Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                               const std::shared_ptr<NativeMemory>& buffer) = 0;
  virtual Result<std::shared_ptr<NativeSampler>> sampler(bool normalized, cl_addressing_mode addressing,
                                                         cl_filter_mode filter) = 0;

  /// Never blocks on work that the device was given before: a driver that does gets a submitting thread inside the
  /// adapter. Pageable memory may be copied inside. std::bad_alloc: nothing was submitted, and `done` is not called.
  virtual Ticket submit(Batch&& batch) = 0;
  /// Blocks until batch `ticket` and its `done` have run, helping natively where that is faster than waiting for a
  /// thread.
  virtual void help(Ticket ticket) = 0;
  /// Whoever has submitted `ticket` and holds no lock: completes older batches that have ended, if it is time to. Never
  /// waits for the device. A thread of the adapter's would do it too, at the price of sharing caches with the caller.
  virtual void tidy(Ticket ticket) = 0;
  /// Compute units [first, first + count), as a device that runs this one's kernels on its memory and lives no longer:
  /// its batches have an order of their own. Null where units cannot be told apart.
  virtual std::shared_ptr<Device> part(std::uint32_t first, std::uint32_t count) {
    (void)first, (void)count;
    return nullptr;
  }
  /// Page-locked memory for reads, on devices that read pageable memory slowly; null elsewhere. Large writes are
  /// staged inside the adapter: their enqueue may block for as long as the host's threads copy.
  virtual PinnedPieces* pinned_pieces() { return nullptr; }
  /// Likewise for single reads of kSmallPiece bytes at most, which the device brings behind what is on its queue sooner
  /// than it could be asked for afterwards, and for those of less than kStagedLeast. Null also until so many were asked
  /// for that making them pays.
  virtual PinnedPieces* small_pieces() { return nullptr; }
  /// For calibration: transfers by ways that the adapter would not choose (link_probe.h). Null where submit() is the
  /// only way; an error where the device cannot be used.
  virtual Result<std::shared_ptr<LinkProbe>> link_probe() { return std::shared_ptr<LinkProbe>(); }

 private:
  const std::shared_ptr<Health> health_ = std::make_shared<Health>();
};

}  // namespace skmd::icd
