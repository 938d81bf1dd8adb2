// SPDX-License-Identifier: Apache-2.0
// The port's adapter to one device of a vendor's OpenCL library.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "intercept/backend/vendor/native_objects.h"
#include "intercept/backend/vendor/pinned_pieces.h"
#include "intercept/backend/vendor/stoppable_code.h"
#include "intercept/backend/vendor/submission_queue.h"
#include "intercept/backend/vendor/vendor_driver.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class TrapRoom;

class VendorDevice final : public Device {
 public:
  /// `turns`: held while a batch is carried out; the device is then blocking. Null: its batches wait for no other
  /// device's.
  /// `stoppable`: how programs get a second form that can be stopped inside of groups; nothing: they get none. With it,
  /// the device is to outlive its programs.
  VendorDevice(const VendorPlatform& platform, cl_device_id id, DeviceDescription description,
               std::shared_ptr<Mutex> turns, std::optional<StoppableMaker> stoppable = std::nullopt);
  ~VendorDevice() override;

  /// Opens the device natively and finds out, for devices that are no GPU, whether its driver blocks and whether it
  /// uses host memory in place. Once, before the device is shared.
  Status open();

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void assign_space(domain::SpaceId space) override { description_.space = space; }
  [[nodiscard]] Result<std::vector<std::byte>> info(cl_device_info name) const override;
  [[nodiscard]] Result<std::vector<cl_image_format>> image_formats(cl_mem_flags flags,
                                                                   cl_mem_object_type type) const override;

  Result<std::shared_ptr<NativeProgram>> build(const std::string& text, const std::string& options,
                                               std::string& log) override;
  Result<std::shared_ptr<NativeProgram>> build_linked(const std::vector<SourceUnit>& units,
                                                      const std::string& link_options, std::string& log) override;
  Result<std::vector<std::byte>> binary(const NativeProgram& program) override;
  Result<std::shared_ptr<NativeProgram>> load(const std::vector<std::byte>& binary,
                                              const std::string& options) override;
  Result<std::vector<std::string>> kernel_names(const NativeProgram& program) override;
  Result<std::uint32_t> argument_count(NativeKernel& kernel) override;
  Result<std::vector<std::byte>> argument_info(NativeKernel& kernel, std::uint32_t index,
                                               cl_kernel_arg_info name) override;
  Result<std::array<std::uint32_t, 3>> required_local(NativeKernel& kernel) override;
  bool takes_value(NativeKernel& kernel, std::uint32_t index, std::uint64_t bytes) override;
  Result<std::shared_ptr<NativeKernel>> kernel(const std::shared_ptr<NativeProgram>& program,
                                               const std::string& name) override;

  std::optional<YieldInfo> yields(NativeKernel& kernel, const YieldNeeds& needs, bool wait) override;
  TrapForm trap_form(NativeKernel& kernel, const YieldNeeds& needs) override;

  Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) override;
  Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                       const std::shared_ptr<NativeMemory>& buffer) override;
  Result<std::shared_ptr<NativeSampler>> sampler(bool normalized, cl_addressing_mode addressing,
                                                 cl_filter_mode filter) override;

  Ticket submit(Batch&& batch) override;
  void help(Ticket ticket) override;
  void tidy(Ticket ticket) override;
  PinnedPieces* pinned_pieces() override;
  PinnedPieces* small_pieces() override;
  std::shared_ptr<void> page_lock(std::byte* host, std::uint64_t bytes) override;
  Result<std::shared_ptr<LinkProbe>> link_probe() override;
  void prepare_builds() override;
  [[nodiscard]] bool has_native_context() const override {
    // Writes ask, which do not wait for a context that is being made.
    if (description_.kind == DeviceKind::gpu || is_remote()) return keeps_context_.load(std::memory_order_acquire);
    const MutexGuard lock(mutex_);
    return !context_.expired();
  }

 private:
  /// The native context, made if there is none. It lives as long as an object in it does; that of a GPU, which is
  /// expensive to make, or of a device in another machine, as long as the device. Others are not kept, since an unused
  /// context has effects: PoCL 3.1, having one, ends applications that release what it returns beside an error, as
  /// clinfo does.
  Result<std::shared_ptr<NativeContext>> context() const;
  /// The submission queue, made at the first call; null with `failure` set if the device gives no native queue.
  SubmissionQueue* line(domain::Error& failure);
  /// The error of a failed native call, after it was reported to the device's health.
  domain::Error told(const char* call, cl_int code) const;
  [[nodiscard]] domain::Error aside_error() const;
  [[nodiscard]] domain::Error gone_error() const;
  /// In another machine: reached through a driver whose habits are not those of the device's own.
  [[nodiscard]] bool is_remote() const { return !description_.host.empty(); }
  [[nodiscard]] bool is_nvidia() const { return !is_remote() && description_.vendor == "NVIDIA Corporation"; }
  [[nodiscard]] QueueHabits habits() const {
    return {.slow_times = is_nvidia(),
            .failures_stay = is_nvidia(),
            .compiles_at_launch = description_.kind == DeviceKind::cpu && !is_remote(),
            .slow_pageable = is_nvidia(),
            .far = is_remote()};
  }
  /// Work-items that a group of a kernel may have whose work-group size the driver gives as `said`.
  [[nodiscard]] std::uint64_t largest_group(std::uint64_t said) const;
  Result<std::shared_ptr<NativeProgram>> finish_build(std::shared_ptr<VendorProgram> program,
                                                      const std::string& options, std::string& log);
  /// Kernels that leave at barriers do what their text says. Drivers that make loops over work-items of code between
  /// barriers do not always: PoCL 3.1 runs such code twice, or for ever, where one loop has several barriers.
  [[nodiscard]] bool keeps_barriers() const { return description_.kind == DeviceKind::gpu; }
  /// Null: there is none.
  std::shared_ptr<StoppableCode> stoppable_code(const std::string& text, const std::string& options);
  Result<std::shared_ptr<NativeProgram>> build_native(const std::string& text, const std::string& options,
                                                      std::string& log);
  std::unique_ptr<StoppableKernels> build_stoppable(const std::string& text, const std::string& options);
  Ticket submit_native(Batch&& batch);
  /// Takes the native kernels of `kernels` that have text out of it; those that it lacks are removed. False: it cannot
  /// be built.
  bool build_text(const std::string& text, const std::string& options, StoppableKernels& kernels);
  /// NVIDIA's compiler gives kernels that can be stopped more registers than the kernels' own code has, so that fewer
  /// work-items are on the device at a time. Replaces each kernel by one with the lowest of kRegisterLimits that it has
  /// room in; one that has room in none stays. Thread: any; waits for the compiler.
  void limit_registers(const std::string& text, const std::string& options, StoppableKernels& kernels);
  Ticket submit_stoppable(Batch&& batch);
  /// StoppableRun::Native::pieces.
  std::shared_ptr<PinnedPieces> state_pieces(bool make);
  Ticket submit_trapping(Batch&& batch);
  /// Appends a program's log.
  void append_log(const VendorProgram& program, std::string& log) const;

  const VendorPlatform platform_;
  const cl_device_id id_;
  DeviceDescription description_;
  const std::shared_ptr<Mutex> turns_;
  const std::optional<StoppableMaker> stoppable_;
  const std::unique_ptr<TrapRoom> trap_room_;

  mutable Mutex mutex_{LockRank::vendor_device};  // guards what follows; never held over a batch
  mutable std::weak_ptr<NativeContext> context_ SKMD_GUARDED_BY(mutex_);
  mutable std::shared_ptr<NativeContext> kept_ SKMD_GUARDED_BY(mutex_);  // a GPU's
  mutable std::atomic<bool> keeps_context_{false};                       // kept_ is there
  mutable std::map<cl_device_info, Result<std::vector<std::byte>>> infos_ SKMD_GUARDED_BY(mutex_);
  std::map<std::tuple<bool, cl_addressing_mode, cl_filter_mode>, std::shared_ptr<NativeSampler>> samplers_
      SKMD_GUARDED_BY(mutex_);
  std::unique_ptr<PinnedPieces> pieces_ SKMD_GUARDED_BY(mutex_);  // made when they are needed …
  bool pins_ SKMD_GUARDED_BY(mutex_) = true;                      // … and possible
  std::unique_ptr<PinnedPieces> small_pieces_ SKMD_GUARDED_BY(mutex_);
  std::shared_ptr<PinnedPieces> state_pieces_ SKMD_GUARDED_BY(mutex_);
  bool pins_states_ SKMD_GUARDED_BY(mutex_) = true;  // it was not tried yet
  std::atomic<std::uint32_t> small_asked_{0};
  std::atomic<PinnedPieces*> ready_small_{nullptr};
  std::shared_ptr<SubmissionQueue> line_ SKMD_GUARDED_BY(mutex_);
  std::atomic<SubmissionQueue*> ready_line_{nullptr};
};

}  // namespace skmd::icd
