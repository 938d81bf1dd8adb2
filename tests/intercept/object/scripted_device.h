// SPDX-License-Identifier: Apache-2.0
// A device whose answers and builds the test writes down. It runs nothing.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "intercept/backend/port/port.h"

namespace skmd::test {

class ScriptedProgram : public icd::NativeProgram {
 public:
  std::string text, options;
  bool from_binary = false;
};

class ScriptedKernel : public icd::NativeKernel {
 public:
  explicit ScriptedKernel(const icd::KernelLimits& limits) : limits_(limits) {}
  [[nodiscard]] const icd::KernelLimits& limits() const override { return limits_; }

 private:
  icd::KernelLimits limits_;
};

class ScriptedDevice : public icd::Device {
 public:
  /// Answers as an ordinary full-profile 64-bit device of that kind.
  ScriptedDevice(std::string name, icd::DeviceKind kind);

  template <class T>
  ScriptedDevice& answer(cl_device_info name, T value) {
    auto& bytes = answers[name];
    bytes.resize(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return *this;
  }
  ScriptedDevice& answer_text(cl_device_info name, const std::string& text);

  std::map<cl_device_info, std::vector<std::byte>> answers;
  icd::DeviceDescription described;
  icd::KernelLimits limits{256, 32, 0, 0};
  std::vector<std::string> kernels;  // of every program, for opaque ones
  std::map<std::string, std::vector<std::array<std::string, 2>>>
      arguments;  // kernel: (address "global"/"private"/…, type)
  std::function<bool(const std::string& text)> accepts = [](const std::string&) { return true; };
  std::map<std::uint32_t, std::uint64_t> value_bytes;  // what takes_value() takes, by index; others: anything
  int values_asked = 0;
  std::function<void()> prepares = [] {};  // prepare_builds(), on whichever thread
  std::string binary_prefix = "blob:";
  std::vector<std::string> built;  // texts, in order; under mutex
  std::vector<std::string> built_options;
  int loads = 0;
  std::mutex mutex;

  [[nodiscard]] const icd::DeviceDescription& description() const override { return described; }
  void assign_space(domain::SpaceId space) override { described.space = space; }
  [[nodiscard]] icd::Result<std::vector<std::byte>> info(cl_device_info name) const override;
  [[nodiscard]] icd::Result<std::vector<cl_image_format>> image_formats(cl_mem_flags,
                                                                        cl_mem_object_type) const override;
  icd::Result<std::shared_ptr<icd::NativeProgram>> build(const std::string& text, const std::string& options,
                                                         std::string& log) override;
  icd::Result<std::shared_ptr<icd::NativeProgram>> build_linked(const std::vector<icd::SourceUnit>& units,
                                                                const std::string& link_options,
                                                                std::string& log) override;
  icd::Result<std::vector<std::byte>> binary(const icd::NativeProgram& program) override;
  icd::Result<std::shared_ptr<icd::NativeProgram>> load(const std::vector<std::byte>& binary,
                                                        const std::string& options) override;
  icd::Result<std::vector<std::string>> kernel_names(const icd::NativeProgram&) override { return kernels; }
  icd::Result<std::uint32_t> argument_count(icd::NativeKernel& kernel) override;
  icd::Result<std::vector<std::byte>> argument_info(icd::NativeKernel& kernel, std::uint32_t index,
                                                    cl_kernel_arg_info name) override;
  icd::Result<std::array<std::uint32_t, 3>> required_local(icd::NativeKernel&) override {
    return std::array<std::uint32_t, 3>{};
  }
  bool takes_value(icd::NativeKernel&, std::uint32_t index, std::uint64_t bytes) override {
    ++values_asked;
    const auto found = value_bytes.find(index);
    return found == value_bytes.end() || found->second == bytes;
  }
  icd::Result<std::shared_ptr<icd::NativeKernel>> kernel(const std::shared_ptr<icd::NativeProgram>&,
                                                         const std::string& name) override;
  icd::Result<std::shared_ptr<icd::NativeMemory>> allocate(std::uint64_t, std::byte*) override;
  icd::Result<std::shared_ptr<icd::NativeMemory>> allocate_image(const icd::ImageShape&,
                                                                 const std::shared_ptr<icd::NativeMemory>&) override;
  icd::Result<std::shared_ptr<icd::NativeSampler>> sampler(bool, cl_addressing_mode, cl_filter_mode) override;
  icd::Ticket submit(icd::Batch&& batch) override;
  void help(icd::Ticket) override {}
  void tidy(icd::Ticket) override {}
  void prepare_builds() override { prepares(); }

 private:
  std::map<const icd::NativeKernel*, std::string> names_;
};

}  // namespace skmd::test
