// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/host_facts.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "cpu-driver/host_target.h"
#include "cpu-driver/runtime/processors.h"

namespace skmd::cpu {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// What sysconf says, where it knows.
std::uint64_t system_number(int name) {
  const long value = sysconf(name);
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

std::uint32_t widest_registers() {
  if (may_use(SpanTarget::x86_64_v4)) return 64;
  return may_use(SpanTarget::x86_64_v3) ? 32 : 16;
}

/// What Linux shows as "model name", unless a virtual machine tells its system another one; "": the processor does not
/// tell.
std::string brand_string() {
#ifdef __x86_64__
  constexpr unsigned kFirst = 0x80000002, kLast = 0x80000004;  // leaves of CPUID, 16 characters each
  if (__get_cpuid_max(0x80000000, nullptr) < kLast) return {};
  std::array<char, 16 * (kLast - kFirst + 1) + 1> text{};
  for (unsigned leaf = kFirst; leaf <= kLast; ++leaf) {
    std::array<unsigned, 4> words{};
    __cpuid(leaf, words[0], words[1], words[2], words[3]);
    std::memcpy(text.data() + 16 * (leaf - kFirst), words.data(), sizeof words);
  }
  return trimmed(text.data());
#else
  return {};
#endif
}

}  // namespace

HostFacts with_cpuinfo(HostFacts facts, const std::string& text) {
  std::istringstream lines(text);
  bool named = false;
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
    if (value.empty()) continue;
    if (key == "model name" && !named) {
      facts.model = value;
      named = true;
    } else if (key == "vendor_id") {
      facts.vendor = value;
    } else if (key == "cpu MHz") {
      double megahertz = 0;
      std::from_chars(value.data(), value.data() + value.size(), megahertz);
      // The fastest of processors that clock down while they rest.
      if (megahertz >= 1 && megahertz < 1e6)
        facts.megahertz = std::max(facts.megahertz, static_cast<std::uint32_t>(megahertz));
    }
  }
  return facts;
}

HostFacts read_host_facts() {
  HostFacts facts;
  facts.model = brand_string();
  facts.processors = usable_processors();
  facts.vector_bytes = widest_registers();
  facts.memory_bytes = system_number(_SC_PHYS_PAGES) * system_number(_SC_PAGESIZE);
  facts.cache_bytes = std::max(system_number(_SC_LEVEL3_CACHE_SIZE), system_number(_SC_LEVEL2_CACHE_SIZE));
  if (const std::uint64_t line = system_number(_SC_LEVEL1_DCACHE_LINESIZE); line != 0)
    facts.line_bytes = static_cast<std::uint32_t>(line);
  std::ostringstream text;
  text << std::ifstream("/proc/cpuinfo").rdbuf();
  return with_cpuinfo(std::move(facts), text.str());
}

std::string processor_name() {
  std::string text(4096, '\0');
  std::ifstream file("/proc/cpuinfo", std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  std::string name = with_cpuinfo({}, text).model;
  return name.empty() ? brand_string() : name;
}

}  // namespace skmd::cpu
