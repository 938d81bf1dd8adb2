// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/late_device.h"

namespace skmd::icd {
namespace {

/// Handles, which mean nothing to another process.
bool is_handle(cl_device_info name) { return name == CL_DEVICE_PLATFORM || name == CL_DEVICE_PARENT_DEVICE; }

}  // namespace

LateDevice::LateDevice(KeptAnswers facts, Open open, Keep keep)
    : open_(std::move(open)), keep_(std::move(keep)), facts_(std::move(facts)) {}

LateDevice::LateDevice(std::shared_ptr<Device> opened, Keep keep) : keep_(std::move(keep)), is_new_(true) {
  facts_.description = opened->description();
  device_ = std::move(opened);
}

Result<std::shared_ptr<Device>> LateDevice::opened() const {
  const MutexGuard lock(opening_);
  if (!device_) device_ = open_();
  return *device_;
}

void LateDevice::settle() {
  MutexLock lock(facts_mutex_);
  settled_ = true;
  if (is_new_) noted(std::move(lock));
}

/// Calls `keep_` without the lock, since it writes a file.
void LateDevice::noted(UniqueLock lock) const {
  is_new_ = !settled_;
  if (!settled_ || !keep_) return;
  const KeptAnswers now = facts_;
  lock.unlock();
  keep_(now);
}

Result<std::vector<std::byte>> LateDevice::info(cl_device_info name) const {
  {
    const MutexGuard lock(facts_mutex_);
    if (const auto found = facts_.infos.find(name); found != facts_.infos.end()) return found->second;
  }
  const auto device = opened();
  if (!device) return device.error();
  auto answer = (*device)->info(name);
  if (is_handle(name)) return answer;
  MutexLock lock(facts_mutex_);
  if (facts_.infos.emplace(name, answer).second) noted(std::move(lock));
  return answer;
}

Result<std::vector<cl_image_format>> LateDevice::image_formats(cl_mem_flags flags, cl_mem_object_type type) const {
  {
    const MutexGuard lock(facts_mutex_);
    if (const auto found = facts_.formats.find({flags, type}); found != facts_.formats.end()) return found->second;
  }
  const auto device = opened();
  if (!device) return device.error();
  auto answer = (*device)->image_formats(flags, type);
  if (!answer) return answer;
  MutexLock lock(facts_mutex_);
  if (facts_.formats.emplace(std::pair{flags, type}, *answer).second) noted(std::move(lock));
  return answer;
}

Result<std::shared_ptr<NativeProgram>> LateDevice::build(const std::string& text, const std::string& options,
                                                         std::string& log) {
  const auto device = opened();
  if (device) return (*device)->build(text, options, log);
  log = device.error().reason;
  return device.error();
}

Result<std::shared_ptr<NativeProgram>> LateDevice::build_linked(const std::vector<SourceUnit>& units,
                                                                const std::string& link_options, std::string& log) {
  const auto device = opened();
  if (device) return (*device)->build_linked(units, link_options, log);
  log = device.error().reason;
  return device.error();
}

Result<std::vector<std::byte>> LateDevice::binary(const NativeProgram& program) {
  const auto device = opened();
  return device ? (*device)->binary(program) : device.error();
}

Result<std::shared_ptr<NativeProgram>> LateDevice::load(const std::vector<std::byte>& binary,
                                                        const std::string& options) {
  const auto device = opened();
  return device ? (*device)->load(binary, options) : device.error();
}

Result<std::vector<std::string>> LateDevice::kernel_names(const NativeProgram& program) {
  const auto device = opened();
  return device ? (*device)->kernel_names(program) : device.error();
}

Result<std::uint32_t> LateDevice::argument_count(NativeKernel& kernel) {
  const auto device = opened();
  return device ? (*device)->argument_count(kernel) : device.error();
}

Result<std::vector<std::byte>> LateDevice::argument_info(NativeKernel& kernel, std::uint32_t index,
                                                         cl_kernel_arg_info name) {
  const auto device = opened();
  return device ? (*device)->argument_info(kernel, index, name) : device.error();
}

Result<std::array<std::uint32_t, 3>> LateDevice::required_local(NativeKernel& kernel) {
  const auto device = opened();
  return device ? (*device)->required_local(kernel) : device.error();
}

bool LateDevice::takes_value(NativeKernel& kernel, std::uint32_t index, std::uint64_t bytes) {
  const auto device = opened();
  return !device || (*device)->takes_value(kernel, index, bytes);
}

Result<std::shared_ptr<NativeKernel>> LateDevice::kernel(const std::shared_ptr<NativeProgram>& program,
                                                         const std::string& name) {
  const auto device = opened();
  return device ? (*device)->kernel(program, name) : device.error();
}

Result<std::shared_ptr<NativeMemory>> LateDevice::allocate(std::uint64_t bytes, std::byte* host) {
  const auto device = opened();
  return device ? (*device)->allocate(bytes, host) : device.error();
}

Result<std::shared_ptr<NativeMemory>> LateDevice::allocate_image(const ImageShape& shape,
                                                                 const std::shared_ptr<NativeMemory>& buffer) {
  const auto device = opened();
  return device ? (*device)->allocate_image(shape, buffer) : device.error();
}

Result<std::shared_ptr<NativeSampler>> LateDevice::sampler(bool normalized, cl_addressing_mode addressing,
                                                           cl_filter_mode filter) {
  const auto device = opened();
  return device ? (*device)->sampler(normalized, addressing, filter) : device.error();
}

Ticket LateDevice::submit(Batch&& batch) {
  const auto device = opened();
  if (device) return (*device)->submit(std::move(batch));
  batch.done({device.error().code, device.error().reason, {}, Fault::none, 0});
  return 0;
}

void LateDevice::help(Ticket ticket) {
  if (const auto device = opened(); device) (*device)->help(ticket);
}

void LateDevice::tidy(Ticket ticket) {
  if (const auto device = opened(); device) (*device)->tidy(ticket);
}

Result<std::shared_ptr<LinkProbe>> LateDevice::link_probe() {
  const auto device = opened();
  return device ? (*device)->link_probe() : device.error();
}

}  // namespace skmd::icd
