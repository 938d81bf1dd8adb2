// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/object/scripted_device.h"

namespace skmd::test {

using domain::Error;
using icd::Result;

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.c_str());
  return {begin, begin + text.size() + 1};
}

template <class T>
std::vector<std::byte> bytes_of_value(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Error absent() { return {CL_INVALID_OPERATION, "a scripted device runs nothing"}; }

}  // namespace

ScriptedDevice::ScriptedDevice(std::string name, icd::DeviceKind kind) {
  described.name = std::move(name);
  described.platform = "Scripted";
  described.kind = kind;
  described.backend = "icd";
  described.arithmetic = described.name;
  answer<cl_uint>(CL_DEVICE_ADDRESS_BITS, 64).answer<cl_bool>(CL_DEVICE_ENDIAN_LITTLE, CL_TRUE);
  answer<cl_bool>(CL_DEVICE_AVAILABLE, CL_TRUE).answer<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE);
  answer_text(CL_DEVICE_PROFILE, "FULL_PROFILE")
      .answer_text(CL_DRIVER_VERSION, "1.0")
      .answer_text(CL_DEVICE_EXTENSIONS, "");
  answer<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024).answer<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 48 << 10);
  answer(CL_DEVICE_MAX_WORK_ITEM_SIZES, std::array<size_t, 3>{1024, 1024, 64});
  answer<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE, 4352).answer<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024);
  answer<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong{8} << 30)
      .answer<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong{2} << 30);
  answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 8);
}

ScriptedDevice& ScriptedDevice::answer_text(cl_device_info name, const std::string& text) {
  answers[name] = bytes_of(text);
  return *this;
}

Result<std::vector<std::byte>> ScriptedDevice::info(cl_device_info name) const {
  const auto found = answers.find(name);
  if (found == answers.end()) return Error{CL_INVALID_VALUE, "not answered"};
  return found->second;
}

Result<std::vector<cl_image_format>> ScriptedDevice::image_formats(cl_mem_flags, cl_mem_object_type) const {
  return std::vector<cl_image_format>{};
}

Result<std::shared_ptr<icd::NativeProgram>> ScriptedDevice::build(const std::string& text, const std::string& options,
                                                                  std::string& log) {
  {
    const std::lock_guard lock(mutex);
    built.push_back(text);
    built_options.push_back(options);
  }
  if (!accepts(text)) {  // may block
    log = "error: refused by " + described.name;
    return Error{CL_BUILD_PROGRAM_FAILURE, "refused"};
  }
  auto program = std::make_shared<ScriptedProgram>();
  program->text = text;
  program->options = options;
  return std::shared_ptr<icd::NativeProgram>(std::move(program));
}

Result<std::shared_ptr<icd::NativeProgram>> ScriptedDevice::build_linked(const std::vector<icd::SourceUnit>& units,
                                                                         const std::string& link_options,
                                                                         std::string& log) {
  std::string joined = "linked:";
  std::string options;
  for (const icd::SourceUnit& unit : units) {
    joined += unit.text + '|';
    options += unit.options + '|';
  }
  return build(joined, options + link_options, log);
}

Result<std::vector<std::byte>> ScriptedDevice::binary(const icd::NativeProgram& program) {
  return bytes_of(binary_prefix + static_cast<const ScriptedProgram&>(program).text);
}

Result<std::shared_ptr<icd::NativeProgram>> ScriptedDevice::load(const std::vector<std::byte>& binary,
                                                                 const std::string&) {
  const std::lock_guard lock(mutex);
  const std::string text(reinterpret_cast<const char*>(binary.data()));
  if (text.rfind(binary_prefix, 0) != 0) return Error{CL_INVALID_BINARY, "stale"};
  ++loads;
  auto program = std::make_shared<ScriptedProgram>();
  program->text = text.substr(binary_prefix.size());
  program->from_binary = true;
  return std::shared_ptr<icd::NativeProgram>(std::move(program));
}

Result<std::uint32_t> ScriptedDevice::argument_count(icd::NativeKernel& kernel) {
  return static_cast<std::uint32_t>(arguments[names_[&kernel]].size());
}

Result<std::vector<std::byte>> ScriptedDevice::argument_info(icd::NativeKernel& kernel, std::uint32_t index,
                                                             cl_kernel_arg_info name) {
  const auto& [address, type] = arguments[names_[&kernel]][index];
  if (address.empty()) return Error{CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "not told"};
  switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
      return bytes_of_value<cl_kernel_arg_address_qualifier>(address == "global"     ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                                                             : address == "local"    ? CL_KERNEL_ARG_ADDRESS_LOCAL
                                                             : address == "constant" ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                                                                                     : CL_KERNEL_ARG_ADDRESS_PRIVATE);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
      return bytes_of_value<cl_kernel_arg_access_qualifier>(CL_KERNEL_ARG_ACCESS_NONE);
    case CL_KERNEL_ARG_TYPE_NAME:
      return bytes_of(type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
      return bytes_of_value<cl_kernel_arg_type_qualifier>(0);
    default:
      return bytes_of("argument" + std::to_string(index));
  }
}

Result<std::shared_ptr<icd::NativeKernel>> ScriptedDevice::kernel(const std::shared_ptr<icd::NativeProgram>&,
                                                                  const std::string& name) {
  auto made = std::make_shared<ScriptedKernel>(limits);
  names_[made.get()] = name;
  return std::shared_ptr<icd::NativeKernel>(std::move(made));
}

Result<std::shared_ptr<icd::NativeMemory>> ScriptedDevice::allocate(std::uint64_t, std::byte*) { return absent(); }
Result<std::shared_ptr<icd::NativeMemory>> ScriptedDevice::allocate_image(const icd::ImageShape&,
                                                                          const std::shared_ptr<icd::NativeMemory>&) {
  return absent();
}
Result<std::shared_ptr<icd::NativeSampler>> ScriptedDevice::sampler(bool, cl_addressing_mode, cl_filter_mode) {
  return absent();
}

icd::Ticket ScriptedDevice::submit(icd::Batch&& batch) {
  icd::BatchResult result;
  result.status = CL_INVALID_OPERATION;
  result.reason = "a scripted device runs nothing";
  batch.done(std::move(result));
  return 0;
}

}  // namespace skmd::test
