// SPDX-License-Identifier: Apache-2.0
// A vendor's CPU device that is opened when it is first needed: until then it answers from what it has answered in an
// earlier process.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/driver_facts.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class LateDevice final : public Device {
 public:
  /// Called at most once, by the thread that first needs the device; may take as long as loading a driver does.
  using Open = std::function<Result<std::shared_ptr<Device>>()>;
  /// Thread-safe; may be empty.
  using Keep = std::function<void(const KeptAnswers&)>;

  LateDevice(KeptAnswers facts, Open open, Keep keep);
  /// Around a device that is open; its answers are noted.
  LateDevice(std::shared_ptr<Device> opened, Keep keep);

  /// Passes the answers that are known by now to `keep`, if some are new; from now on each new answer makes it do so
  /// again.
  void settle();

  [[nodiscard]] const DeviceDescription& description() const override { return facts_.description; }
  void assign_space(domain::SpaceId space) override { facts_.description.space = space; }
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
  Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) override;
  Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                       const std::shared_ptr<NativeMemory>& buffer) override;
  Result<std::shared_ptr<NativeSampler>> sampler(bool normalized, cl_addressing_mode addressing,
                                                 cl_filter_mode filter) override;
  Ticket submit(Batch&& batch) override;
  void help(Ticket ticket) override;
  void tidy(Ticket ticket) override;
  Result<std::shared_ptr<LinkProbe>> link_probe() override;
  /// False while it is not opened.
  [[nodiscard]] bool has_native_context() const override {
    const MutexGuard lock(opening_);
    return device_ && device_->ok() && (**device_)->has_native_context();
  }

 private:
  /// The device itself, opened at the first call; an error is remembered and returned every time.
  Result<std::shared_ptr<Device>> opened() const;
  void noted(UniqueLock lock) const SKMD_RELEASE(facts_mutex_) SKMD_NOT_ANALYSED;  // a lock that was passed on

  const Open open_;
  const Keep keep_;
  mutable Mutex opening_{LockRank::late_device};  // held while the driver is loaded
  mutable std::optional<Result<std::shared_ptr<Device>>> device_ SKMD_GUARDED_BY(opening_);
  mutable Mutex facts_mutex_{LockRank::late_facts};
  mutable KeptAnswers facts_;  // under facts_mutex_, but for the description, which is there from the beginning
  mutable bool is_new_ SKMD_GUARDED_BY(facts_mutex_) = false;
  mutable bool settled_ SKMD_GUARDED_BY(facts_mutex_) = false;
};

}  // namespace skmd::icd
