// SPDX-License-Identifier: Apache-2.0
// A device behind the port that is plain memory and host functions: what reaches it is counted, kernels are lambdas.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "intercept/backend/port/image_layout.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/pinned_pieces.h"

namespace skmd::icd::test {

/// One argument as a kernel body sees it: a pointer for buffers, bytes for values. A hidden record is the last value.
struct BodyArgument {
  std::byte* pointer = nullptr;
  std::vector<std::byte> value;
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(pointer);
  }
  template <class T>
  [[nodiscard]] T scalar() const {
    T t{};
    std::memcpy(&t, value.data(), sizeof t);
    return t;
  }
};

/// Runs one work-item; ids are those of the whole launch.
using Body = std::function<void(const std::vector<BodyArgument>& arguments, const domain::Extent3& global_id)>;

/// Bytes that are left of a device's memory, which outlives it.
using FakeRoom = std::shared_ptr<std::atomic<std::int64_t>>;

class FakeMemory : public NativeMemory {
 public:
  FakeMemory(std::uint64_t bytes, std::byte* host, FakeRoom room = nullptr)
      : room_(host == nullptr ? std::move(room) : nullptr),
        own_(host == nullptr ? bytes : 0, std::byte{0xA5}),
        data_(host == nullptr ? own_.data() : host) {}
  ~FakeMemory() override {
    std::fill(own_.begin(), own_.end(), std::byte{0x5A});  // nothing may rely on memory that was given back
    if (room_ != nullptr) *room_ += static_cast<std::int64_t>(own_.size());
  }
  FakeMemory(const FakeMemory&) = delete;
  FakeMemory& operator=(const FakeMemory&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  FakeRoom room_;
  std::vector<std::byte> own_;  // filled with garbage: nothing may rely on fresh memory
  std::byte* data_;
};

class FakeProgram : public NativeProgram {};

class FakeKernel : public NativeKernel {
 public:
  explicit FakeKernel(Body body) : body_(std::move(body)) { limits_.work_group_size = limits_.most_items = 256; }
  [[nodiscard]] const KernelLimits& limits() const override { return limits_; }
  [[nodiscard]] bool runs_elsewhere() const override { return elsewhere; }
  [[nodiscard]] const Body& body() const { return body_; }
  bool elsewhere = false;  ///< as if another driver ran it

 private:
  Body body_;
  KernelLimits limits_;
};

struct Counters {
  std::atomic<std::uint64_t> bytes_to{0}, bytes_from{0}, runs{0}, groups{0}, batches{0}, awaited_batches{0},
      quiet_batches{0}, fills{0}, copies{0}, loads{0}, packed_reads{0}, locked_transfers{0}, page_locks{0},
      runs_inside{0};
};

/// Executes batches in order on a thread of its own.
class FakeDevice : public Device {
 public:
  FakeDevice(std::string name, bool discrete, std::map<std::string, Body> bodies)
      : bodies_(std::move(bodies)), thread_([this] { loop(); }) {
    description_.name = std::move(name);
    description_.backend = "icd";
    description_.arithmetic = "fake";
    description_.discrete = discrete;
  }
  ~FakeDevice() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  Counters counters;
  std::atomic<std::uint64_t> ns_per_group{0};         ///< reported as the native duration of launches; 0: no times
  std::atomic<int> fail_runs{0};                      ///< so many of the next runs fail, which costs a device its place
  std::atomic<bool> fail_late{false};                 ///< they fail after they have done their work
  std::atomic<Fault> run_fault{Fault::device};        ///< what they fail of
  std::atomic<cl_int> run_code{CL_OUT_OF_RESOURCES};  ///< the status with which they do
  std::atomic<int> refuse_runs{0};                    ///< so many of the next runs are not accepted
  std::atomic<int> fail_writes{0};                    ///< so many of the next writes fail, having written nothing
  std::atomic<int> fail_copies{0};                    ///< likewise of copies
  std::atomic<int> fail_fills{0};                     ///< so many of the next fills fail, having written nothing
  std::atomic<int> fail_reads{0};                     ///< likewise of reads
  std::atomic<int> fail_allocations{0};               ///< so many of the next allocations fail
  std::atomic<bool> refuse_loads{false};
  std::atomic<bool> kernels_elsewhere{false};  ///< kernels made from now on run as if on another driver
  std::function<void()> on_submit;             ///< at the begin of submit(), with no lock held
  std::function<void()> on_help;               ///< likewise of help()
  std::function<void()> on_failure;            ///< between a failure and the `done` that tells of it
  std::function<void()> on_execute;            ///< before each batch that has work
  std::function<void()> on_group;              ///< after each work-group
  /// What is told of a batch that ended well and asked for times; before the first launch.
  std::function<std::vector<OpTime>(const Batch&)> times;
  /// Between the two nothing is executed.
  void pause();
  /// All that was submitted has ended.
  bool idle();
  void resume();

  /// Bytes that are left for buffers; reported nowhere.
  const FakeRoom room = std::make_shared<std::atomic<std::int64_t>>(INT64_MAX);
  /// Scalar answers of info(), before the first launch.
  std::map<cl_device_info, std::uint64_t> answers;
  /// From now on it has some.
  void lend_small_pieces();
  PinnedPieces* small_pieces() override { return small_pieces_.get(); }
  /// Likewise for large reads.
  void lend_pinned_pieces();
  PinnedPieces* pinned_pieces() override { return pinned_pieces_.get(); }
  /// It locks pages from now on.
  std::atomic<bool> locks_pages{false};
  /// Memory that is page-locked now.
  std::atomic<int> locked{0};
  std::shared_ptr<void> page_lock(std::byte* host, std::uint64_t bytes) override;
  /// Before the first launch.
  void add_bodies(std::map<std::string, Body> bodies) { bodies_.merge(bodies); }
  void set_kind(DeviceKind kind) { description_.kind = kind; }
  std::atomic<bool> has_context{true};
  [[nodiscard]] bool has_native_context() const override { return has_context; }
  void set_stops(StopForm form) { description_.stops = form; }
  /// It can also be left in the middle of each group: then half of its work-items have run.
  void set_stops_inside() { description_.stops_inside = true; }
  std::optional<YieldInfo> yields(NativeKernel&, const YieldNeeds&, bool) override {
    return description_.stops_inside ? std::optional(YieldInfo{7, 1, true}) : std::nullopt;
  }
  void set_host(const std::string& host) { description_.host = host; }
  void set_overlapping_views(bool survive) { description_.overlapping_views = survive; }
  void set_rounds_unlike_itself(bool does) { description_.rounds_unlike_itself = does; }
  /// load() takes anything that is not empty; kernels are bodies as ever.
  void set_takes_ptx(bool takes) { description_.takes_ptx = takes; }
  const DeviceDescription& description() const override { return description_; }
  void assign_space(domain::SpaceId space) override { description_.space = space; }
  Result<std::vector<std::byte>> info(cl_device_info name) const override;
  Result<std::vector<cl_image_format>> image_formats(cl_mem_flags, cl_mem_object_type) const override {
    return std::vector<cl_image_format>{};
  }
  Result<std::shared_ptr<NativeProgram>> build(const std::string&, const std::string&, std::string& log) override {
    log.clear();
    return std::shared_ptr<NativeProgram>(std::make_shared<FakeProgram>());
  }
  Result<std::shared_ptr<NativeProgram>> build_linked(const std::vector<SourceUnit>&, const std::string&,
                                                      std::string&) override {
    return unsupported();
  }
  Result<std::vector<std::byte>> binary(const NativeProgram&) override { return unsupported(); }
  Result<std::shared_ptr<NativeProgram>> load(const std::vector<std::byte>&, const std::string&) override {
    ++counters.loads;
    if (!description_.takes_ptx || refuse_loads) return unsupported();
    return std::shared_ptr<NativeProgram>(std::make_shared<FakeProgram>());
  }
  Result<std::vector<std::string>> kernel_names(const NativeProgram&) override { return unsupported(); }
  Result<std::uint32_t> argument_count(NativeKernel&) override { return unsupported(); }
  Result<std::vector<std::byte>> argument_info(NativeKernel&, std::uint32_t, cl_kernel_arg_info) override {
    return unsupported();
  }
  Result<std::array<std::uint32_t, 3>> required_local(NativeKernel&) override {
    return std::array<std::uint32_t, 3>{0, 0, 0};
  }
  Result<std::shared_ptr<NativeKernel>> kernel(const std::shared_ptr<NativeProgram>&,
                                               const std::string& name) override {
    auto made = std::make_shared<FakeKernel>(bodies_.at(name));
    made->elsewhere = kernels_elsewhere;
    return std::shared_ptr<NativeKernel>(std::move(made));
  }
  Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) override {
    if (fail_allocations.load() > 0) {
      --fail_allocations;
      return domain::Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "the fake has no memory on request"};
    }
    if (host == nullptr && (*room -= static_cast<std::int64_t>(bytes)) < 0) {
      *room += static_cast<std::int64_t>(bytes);
      return domain::Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "the fake has no memory left"};
    }
    return std::shared_ptr<NativeMemory>(std::make_shared<FakeMemory>(bytes, host, room));
  }
  /// Never in place, as with real devices: an image's bytes are the device's own.
  Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                       const std::shared_ptr<NativeMemory>& buffer) override {
    std::byte* in_buffer = buffer ? static_cast<FakeMemory&>(*buffer).data() + shape.buffer_offset : nullptr;
    return std::shared_ptr<NativeMemory>(std::make_shared<FakeMemory>(tight_layout(shape).bytes(), in_buffer));
  }
  Result<std::shared_ptr<NativeSampler>> sampler(bool, cl_addressing_mode, cl_filter_mode) override {
    return unsupported();
  }
  Ticket submit(Batch&& batch) override;
  void tidy(Ticket) override {}
  void help(Ticket ticket) override;

 private:
  static domain::Error unsupported() { return {CL_INVALID_OPERATION, "the fake has none"}; }
  void loop();
  BatchResult execute(const Batch& batch);
  void write(const std::shared_ptr<NativeMemory>& memory, const std::byte* host, const domain::RowRun& rows);
  void read(const std::shared_ptr<NativeMemory>& memory, std::byte* host, const domain::RowRun& rows);
  void read_packed(const ReadOp& op);
  /// Returns how many of its groups have run.
  /// Of a launch that can be left inside of groups: what is left of it. `index`: of the op.
  std::optional<BatchResult::Left> execute_inside(const RunOp& op, std::size_t index);
  std::uint64_t execute(const RunOp& op);

  std::unique_ptr<PinnedPieces> small_pieces_, pinned_pieces_;
  DeviceDescription description_;
  std::map<std::string, Body> bodies_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> pending_;
  Ticket submitted_ = 0, ended_ = 0;
  bool stop_ = false, paused_ = false;
  std::thread thread_;
};

}  // namespace skmd::icd::test
