// SPDX-License-Identifier: Apache-2.0
#include "tests/stub-icd/overrides.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "tests/stub-icd/stub.h"

namespace stub {
namespace {

const std::map<std::string, cl_device_info>& names() {
#define NAME(name) \
  { #name, CL_DEVICE_##name }
  static const auto* const table = new std::map<std::string, cl_device_info>{
      NAME(ADDRESS_BITS),
      NAME(ATOMIC_FENCE_CAPABILITIES),
      NAME(ATOMIC_MEMORY_CAPABILITIES),
      NAME(AVAILABLE),
      NAME(COMPILER_AVAILABLE),
      NAME(DOUBLE_FP_CONFIG),
      NAME(ENDIAN_LITTLE),
      NAME(EXTENSIONS),
      NAME(GLOBAL_MEM_CACHELINE_SIZE),
      NAME(GLOBAL_MEM_SIZE),
      NAME(IMAGE2D_MAX_HEIGHT),
      NAME(IMAGE2D_MAX_WIDTH),
      NAME(IMAGE_SUPPORT),
      NAME(LOCAL_MEM_SIZE),
      NAME(MAX_CLOCK_FREQUENCY),
      NAME(MAX_COMPUTE_UNITS),
      NAME(MAX_MEM_ALLOC_SIZE),
      NAME(MAX_NUM_SUB_GROUPS),
      NAME(MAX_PARAMETER_SIZE),
      NAME(MAX_READ_IMAGE_ARGS),
      NAME(MAX_WORK_GROUP_SIZE),
      NAME(MAX_WORK_ITEM_SIZES),
      NAME(MEM_BASE_ADDR_ALIGN),
      NAME(MIN_DATA_TYPE_ALIGN_SIZE),
      NAME(NAME),
      NAME(OPENCL_C_VERSION),
      NAME(PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
      NAME(PRINTF_BUFFER_SIZE),
      NAME(PROFILE),
      NAME(SINGLE_FP_CONFIG),
      NAME(VENDOR),
      NAME(VERSION),
      {"DRIVER_VERSION", CL_DRIVER_VERSION},
  };
#undef NAME
  return *table;
}

struct Entry {
  long device = -1;  // every one
  cl_device_info name = 0;
  std::string value;
};

/// "NAME=VALUE,1:NAME=VALUE": for every device, or for that one.
std::vector<Entry> read_entries() {
  std::vector<Entry> entries;
  const char* const text = std::getenv(STUB_VARIABLE("INFO"));
  std::istringstream parts(text != nullptr ? text : "");
  for (std::string part; std::getline(parts, part, ',');) {
    Entry entry;
    if (part.size() > 2 && std::isdigit(static_cast<unsigned char>(part[0])) != 0 && part[1] == ':') {
      entry.device = part[0] - '0';
      part.erase(0, 2);
    }
    const std::size_t equals = part.find('=');
    const auto found = names().find(part.substr(0, equals));
    if (equals == std::string::npos || found == names().end()) continue;
    entry.name = found->second;
    entry.value = part.substr(equals + 1);
    entries.push_back(std::move(entry));
  }
  return entries;
}

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* const first = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

Override answer_of(const std::string& value, std::size_t usual) {
  if (value == "none") return {false, {}};
  Override out;
  const bool number = !value.empty() && value.find_first_not_of("0123456789x") == std::string::npos;
  if (!number) {
    append(out.bytes, value.c_str(), value.size() + 1);
    return out;
  }
  // "1024x512x64": numbers of size_t.
  std::istringstream parts(value);
  std::vector<cl_ulong> numbers;
  for (std::string part; std::getline(parts, part, 'x');) numbers.push_back(std::strtoull(part.c_str(), nullptr, 10));
  for (const cl_ulong wide : numbers) {
    const auto narrow = static_cast<cl_uint>(wide);
    if (numbers.size() == 1 && usual == sizeof narrow)
      append(out.bytes, &narrow, sizeof narrow);
    else
      append(out.bytes, &wide, sizeof wide);
  }
  return out;
}

}  // namespace

std::optional<Override> overridden(cl_uint device, cl_device_info name, std::size_t usual) {
  static const auto* const entries = new std::vector<Entry>(read_entries());
  std::optional<Override> found;
  for (const Entry& entry : *entries)
    if (entry.name == name && (entry.device < 0 || entry.device == static_cast<long>(device)))
      found = answer_of(entry.value, usual);
  return found;
}

bool like_nvidia(cl_device_id device) {
  const auto vendor = overridden(device->index, CL_DEVICE_VENDOR, 0);
  return vendor && std::strcmp(reinterpret_cast<const char*>(vendor->bytes.data()), "NVIDIA Corporation") == 0;
}

}  // namespace stub
