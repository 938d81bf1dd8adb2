// SPDX-License-Identifier: Apache-2.0
// What stands beside our CPU driver on a machine where no other CPU driver is installed: answers queries about the
// host, and takes no program, memory or command.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu-driver/runtime/host_facts.h"
#include "intercept/backend/port/port.h"

namespace skmd::icd {

class BareHost final : public Device {
 public:
  explicit BareHost(cpu::HostFacts facts);

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void assign_space(domain::SpaceId space) override { description_.space = space; }
  [[nodiscard]] bool has_native_context() const override { return false; }
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
  Result<std::shared_ptr<NativeKernel>> kernel(const std::shared_ptr<NativeProgram>& program,
                                               const std::string& name) override;

  Result<std::shared_ptr<NativeMemory>> allocate(std::uint64_t bytes, std::byte* host) override;
  Result<std::shared_ptr<NativeMemory>> allocate_image(const ImageShape& shape,
                                                       const std::shared_ptr<NativeMemory>& buffer) override;
  Result<std::shared_ptr<NativeSampler>> sampler(bool normalized, cl_addressing_mode addressing,
                                                 cl_filter_mode filter) override;

  /// Every batch fails, at once.
  Ticket submit(Batch&& batch) override;
  void help(Ticket) override {}
  void tidy(Ticket) override {}

 private:
  const cpu::HostFacts facts_;
  DeviceDescription description_;
};

}  // namespace skmd::icd
