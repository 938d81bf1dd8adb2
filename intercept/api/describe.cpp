// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/describe.h"

#include <nlohmann/json.hpp>

#include "intercept/api/entry.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"
#include "intercept/build/built_programs.h"
#include "intercept/machine/device_query.h"

namespace skmd::icd::api {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::accelerator:
      return "accelerator";
  }
  return "";
}

Json describe_device(const Device& device) {
  const DeviceDescription& description = device.description();
  Json out = {{"name", description.name},
              {"platform", description.platform},
              {"kind", kind_name(description.kind)},
              {"backend", description.backend},
              {"host", description.host},
              {"driver_version", query_text(device, CL_DRIVER_VERSION)},
              {"arithmetic", description.arithmetic},
              {"discrete", description.discrete},
              {"blocking", description.blocking},
              {"space", description.space},
              {"compute_units", query<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0)},
              {"clock_mhz", query<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY).value_or(0)},
              {"global_memory", query<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE).value_or(0)},
              {"max_allocation", query<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).value_or(0)},
              {"local_memory", query<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE).value_or(0)},
              {"max_work_group_size", query<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(0)}};
  if (description.host.empty()) out.erase("host");
  return out;
}

Json describe_host(const RemoteHost& host) {
  Json out = {{"host", host.address}, {"devices", host.devices}, {"away", !host.away.empty()}};
  if (!host.away.empty()) out["reason"] = host.away;
  return out;
}

std::string text_of(const DeviceInfo& info, cl_device_info name) {
  const auto* answer = info.find(name);
  return answer != nullptr ? std::string(reinterpret_cast<const char*>(answer->data())) : std::string();
}

Json describe_virtual(const DeviceInfo& info) {
  const DeviceLimits& limits = info.limits();
  return {{"name", text_of(info, CL_DEVICE_NAME)},
          {"version", info.version()},
          {"driver_version", text_of(info, CL_DRIVER_VERSION)},
          {"type", info.get<cl_device_type>(CL_DEVICE_TYPE)},
          {"extensions", info.extensions()},
          {"compute_units", info.get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS)},
          {"global_memory", info.get<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE)},
          {"max_allocation", limits.max_alloc_bytes},
          {"local_memory", limits.local_bytes},
          {"max_work_group_size", limits.work_group_size},
          {"max_work_item_sizes", limits.work_item_sizes},
          {"base_alignment_bytes", limits.base_align_bytes},
          {"fp64", limits.fp64},
          {"images", limits.images}};
}

Json describe_kernel(const domain::KernelTraits& kernel, const BuiltProgram& program) {
  return {{"name", kernel.name},
          {"program", program.hash},
          {"opaque", program.opaque},
          {"reason", program.reason},
          {"access", kernel.access == domain::AccessClass::contiguous ? "contiguous" : "discontiguous"},
          {"arguments", kernel.parameters.size()},
          {"local_bytes", kernel.local_bytes},
          {"hidden_record", kernel.hidden_record},
          {"queries", kernel.queries},
          {"facts", kernel.facts},
          {"accesses", kernel.accesses.size()}};
}

Json describe_builds(const BuiltProgram& program) {
  Json builds = Json::array();
  for (const BuildRecord::Entry& entry : program.builds->entries()) {
    Json device = {{"state", name(entry.state)}, {"seconds", entry.seconds}};
    if (!entry.reason.empty()) device["reason"] = entry.reason;
    builds.push_back(std::move(device));
  }
  return {{"program", program.hash}, {"opaque", program.opaque}, {"builds", std::move(builds)}};
}

std::string describe(const Platform& platform) {
  const Machine& machine = platform.machine();
  Json out = {{"version", 1},
              {"anchor", machine.anchor},
              {"devices", Json::array()},
              {"left_out", platform.composition().left_out},
              {"hosts", Json::array()}};
  for (const RemoteHost& host : machine.hosts) out["hosts"].push_back(describe_host(host));
  for (const auto& device : machine.devices) out["devices"].push_back(describe_device(*device));
  out["virtual_device"] = describe_virtual(platform.info());
  out["settings"] = {{"partition", domain::name(machine.settings.policy.mode)},
                     {"device_type", device_type_word(machine.settings.device_type)},
                     {"split_mixed", machine.settings.split_mixed},
                     {"verify", machine.settings.verify}};
  out["programs"] = Json::array();
  for (const BuiltProgram& program : built_programs()) out["programs"].push_back(describe_builds(program));
  out["kernels"] = Json::array();
  for (const BuiltProgram& program : built_programs())
    for (const domain::KernelTraits& kernel : program.kernels)
      out["kernels"].push_back(describe_kernel(kernel, program));
  // Vendors' strings may be no UTF-8.
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

cl_int CL_API_CALL clSkmdDescribe(cl_platform_id platform, size_t size, char* text, size_t* size_ret) {
  return entry("clSkmdDescribe", [&]() -> Status {
    const auto object = borrow<Platform>(platform);
    if (!object) return object.error();
    return InfoQuery(0, size, text, size_ret).text(describe(**object));
  });
}

}  // namespace skmd::icd::api
