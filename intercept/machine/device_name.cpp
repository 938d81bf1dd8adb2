// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/device_name.h"

#include <cctype>
#include <cstdio>

#include "intercept/machine/device_query.h"
#include "partitioner/base/fnv.h"

namespace skmd::icd {
namespace {

constexpr size_t kLongestModel = 24;  // characters
constexpr size_t kLongestList = 64;   // likewise, of all models

std::string hex(std::uint32_t value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", value);
  return std::string(text, 8).substr(0, static_cast<size_t>(digits));
}

void erase_all(std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) text.erase(at, word.size());
}

/// What people call the device: without marks, driver prefixes and clock rates, in file-name characters.
std::string model_of(const Device& device) {
  std::string name = device.description().name;
  for (const char* word : {"(R)", "(TM)", "(tm)", " Processor", " CPU"}) erase_all(name, word);
  if (const size_t at = name.find(" @"); at != std::string::npos) name.resize(at);
  // PoCL spells "pthread-skylake-avx512-AMD EPYC".
  if (name.rfind("pthread-", 0) == 0 || name.rfind("basic-", 0) == 0 || name.rfind("cpu-", 0) == 0) {
    const size_t last = name.rfind('-', name.find(' '));
    if (last != std::string::npos) name.erase(0, last + 1);
  }
  std::string out;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
    const char put = plain ? c : ' ';
    if (put == ' ' && (out.empty() || out.back() == ' ')) continue;
    out += put;
  }
  if (out.size() > kLongestModel) out.resize(kLongestModel);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out.empty() ? "device" : out;
}

}  // namespace

std::string device_name(const std::vector<std::shared_ptr<Device>>& devices) {
  std::string exact;
  std::string list;
  for (size_t i = 0; i < devices.size();) {
    const std::string model = model_of(*devices[i]);
    size_t count = 0;
    for (; i < devices.size() && model_of(*devices[i]) == model; ++i, ++count) {
      const DeviceDescription& description = devices[i]->description();
      exact += description.platform + '/' + description.name + (description.discrete ? "@discrete;" : ";");
    }
    list += (list.empty() ? "" : " + ") + (count > 1 ? std::to_string(count) + "x " : "") + model;
  }
  if (list.size() > kLongestList) list.resize(kLongestList);
  return "SKMD (" + list + ") " + hex(domain::fnv(exact), 4);
}

std::string drivers_hash(const std::vector<std::shared_ptr<Device>>& devices) {
  std::uint32_t hash = domain::fnv("");
  for (const auto& device : devices)
    hash = domain::fnv(device->description().platform + '/' + query_text(*device, CL_DRIVER_VERSION) + ';', hash);
  return hex(hash, 8);
}

}  // namespace skmd::icd
