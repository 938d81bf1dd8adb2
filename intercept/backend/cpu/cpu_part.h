// SPDX-License-Identifier: Apache-2.0
// Some of the CPU driver's threads, as a device of its own: its batches run beside those of other parts, on threads
// that no other part has. Programs, kernels and memory are the whole's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu-driver/runtime/pool.h"
#include "intercept/backend/cpu/cpu_ops.h"
#include "intercept/backend/cpu/cpu_queue.h"
#include "intercept/backend/port/port.h"

namespace skmd::icd {

class CpuPart final : public Device {
 public:
  /// Of `whole`, which outlives it, by `plan`'s threads. `other`, `report` and `traps` as CpuOps has them.
  CpuPart(Device& whole, cpu::ThreadPlan plan, std::shared_ptr<Device> other, OtherDriverListener report,
          TrapHandling traps);
  ~CpuPart() override;

  [[nodiscard]] const DeviceDescription& description() const override { return whole_.description(); }
  void assign_space(domain::SpaceId) override {}
  [[nodiscard]] Result<std::vector<std::byte>> info(cl_device_info name) const override { return whole_.info(name); }
  [[nodiscard]] Result<std::vector<cl_image_format>> image_formats(cl_mem_flags flags,
                                                                   cl_mem_object_type type) const override {
    return whole_.image_formats(flags, type);
  }

  Result<std::shared_ptr<NativeProgram>> build(const std::string& text, const std::string& options,
                                               std::string& log) override {
    return whole_.build(text, options, log);
  }
  Result<std::shared_ptr<NativeProgram>> build_linked(const std::vector<SourceUnit>& units,
                                                      const std::string& link_options, std::string& log) override {
    return whole_.build_linked(units, link_options, log);
  }
  Result<std::vector<std::byte>> binary(const NativeProgram& program) override { return whole_.binary(program); }
  Result<std::shared_ptr<NativeProgram>> load(const std::vector<std::byte>& binary,
                                              const std::string& options) override {
    return whole_.load(binary, options);
  }
  Result<std::vector<std::string>> kernel_names(const NativeProgram& program) override {
    return whole_.kernel_names(program);
  }
  Result<std::uint32_t> argument_count(NativeKernel& kernel) override { return whole_.argument_count(kernel); }
  Result<std::vector<std::byte>> argument_info(NativeKernel& kernel, std::uint32_t index,
                                               cl_kernel_arg_info name) override {
    return whole_.argument_info(kernel, index, name);
  }
  Result<std::array<std::uint32_t, 3>> required_local(NativeKernel& kernel) override {
    return whole_.required_local(kernel);
  }
  Result<std::shared_ptr<NativeKernel>> kernel(const std::shared_ptr<NativeProgram>& program,
                                               const std::string& name) override {
    return whole_.kernel(program, name);
  }
  std::optional<YieldInfo> yields(NativeKernel& kernel, const YieldNeeds& needs, bool wait) override {
    return whole_.yields(kernel, needs, wait);
  }
  Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) override {
    return whole_.allocate(bytes, host);
  }
  Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                       const std::shared_ptr<NativeMemory>& buffer) override {
    return whole_.allocate_image(shape, buffer);
  }
  Result<std::shared_ptr<NativeSampler>> sampler(bool normalized, cl_addressing_mode addressing,
                                                 cl_filter_mode filter) override {
    return whole_.sampler(normalized, addressing, filter);
  }

  Ticket submit(Batch&& batch) override { return line_->submit(std::move(batch)); }
  void help(Ticket ticket) override { line_->help(ticket); }
  void tidy(Ticket) override {}

  [[nodiscard]] unsigned threads() const { return pool_.threads(); }

 private:
  Device& whole_;
  cpu::Pool pool_;
  CpuOps ops_;
  std::shared_ptr<CpuQueue> line_;
};

/// Of the threads of `plan`, `count` from thread `first` on. Precondition: it has those.
cpu::ThreadPlan part_of(const cpu::ThreadPlan& plan, unsigned first, unsigned count);

}  // namespace skmd::icd
