// SPDX-License-Identifier: Apache-2.0
// The port's adapter to our own CPU driver. Beside it stands another CPU driver's device of the same processors, or a
// BareHost: it answers queries about the host, and runs what our code generator does not take.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu-driver/runtime/pool.h"
#include "cpu-driver/runtime/threads.h"
#include "intercept/backend/cpu/cpu_objects.h"
#include "intercept/backend/cpu/cpu_ops.h"
#include "intercept/backend/cpu/cpu_queue.h"
#include "intercept/backend/port/port.h"

namespace skmd::icd {

/// What the code generator made of a text.
struct CpuCode {
  struct Kernel {
    std::string name;
    std::string obstacle;  // why it has no code; "": it has
  };
  std::string artifact;  // span_code.h; "": there is none
  std::vector<Kernel> kernels;
  std::string problem;  // why there is none
};

struct CpuDriverOptions {
  /// Makes code for `target`, as compilers know it. May block for as long as a compiler takes; thread-safe.
  std::function<CpuCode(const std::string& text, const std::string& options, const std::string& target)> compile;
  /// The same code with yield points inside of groups. As `compile`; null: there is none.
  std::function<CpuCode(const std::string& text, const std::string& options, const std::string& target)>
      compile_yielding = {};
  /// Runs work on another thread, some time. std::bad_alloc: it will not.
  std::function<void(std::function<void()> work)> later = {};
  /// Told of every launch that the other driver runs, and why. Thread-safe; throws nothing.
  OtherDriverListener report;
  std::string code_folder;  // HostCode's `folder`
  unsigned threads = 0;     // that run kernels at once; 0: one per core
  std::string target = {};  // that code is made for, as compilers know it; "": the best that runs here
  std::string mark = {};    // behind the device's name, to tell it from others of the same processors
  TrapHandling traps = {};  // of checked code
};

class CpuDevice final : public Device {
 public:
  /// `other` uses host memory in place. `discrete`: this device does as if it had memory of its own.
  CpuDevice(CpuDriverOptions options, std::shared_ptr<Device> other, bool discrete);
  ~CpuDevice() override;

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

  Ticket submit(Batch&& batch) override { return line_->submit(std::move(batch)); }
  void help(Ticket ticket) override { line_->help(ticket); }
  void tidy(Ticket) override {}
  std::shared_ptr<Device> part(std::uint32_t first, std::uint32_t count) override;
  [[nodiscard]] bool has_native_context() const override { return other_->has_native_context(); }

 private:
  /// Loads what the generator made into `program`, or notes why not.
  void load_code(CpuCode made, CpuProgram& program) const;
  [[nodiscard]] std::shared_ptr<MadeLater<cpu::SpanLibrary>> yielding_code(const std::string& text,
                                                                           const std::string& options) const;

  const CpuDriverOptions options_;
  const std::shared_ptr<Device> other_;
  const std::string target_;  // "": our code runs on no processor like this one
  DeviceDescription description_;
  std::uint64_t most_items_ = 0;
  std::uint64_t multiple_ = 1;  // of work-items, that kernels without a width of their own prefer
  const cpu::ThreadPlan plan_;
  cpu::Pool pool_;
  CpuOps ops_;
  std::shared_ptr<CpuQueue> line_;
};

}  // namespace skmd::icd
