// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/driver_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "cpu-driver/runtime/host_facts.h"

namespace skmd::icd {
namespace {

using domain::Error;

constexpr const char* kFormat = "SKMD driver facts 1";

/// Each value as its length, a colon and its bytes.
class Netstrings {
 public:
  void put(std::string_view value) {
    text_ += std::to_string(value.size());
    text_ += ':';
    text_ += value;
  }
  void put(std::uint64_t value) { put(std::to_string(value)); }
  void put(const std::vector<std::byte>& bytes) {
    put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class NetstringReader {
 public:
  explicit NetstringReader(std::string_view rest) : rest_(rest) {}

  std::string text() {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    const std::size_t digits = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || digits >= rest_.size() || *end != ':' || size > rest_.size() - digits - 1) {
      good_ = false;
      rest_ = {};
      return {};
    }
    std::string value(rest_.substr(digits + 1, size));
    rest_.remove_prefix(digits + 1 + size);
    return value;
  }
  std::uint64_t number() {
    const std::string digits = text();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    good_ = good_ && error == std::errc() && end == digits.data() + digits.size();
    return value;
  }
  /// Of entries that follow: each has at least two bytes.
  std::uint64_t count() {
    const std::uint64_t value = number();
    good_ = good_ && value <= rest_.size() / 2;
    return good_ ? value : 0;
  }
  std::vector<std::byte> bytes() {
    const std::string value = text();
    const auto* first = reinterpret_cast<const std::byte*>(value.data());
    return {first, first + value.size()};
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void put(Netstrings& out, const Candidate& c) {
  out.put(c.device_index);
  out.put(c.platform);
  out.put(c.name);
  out.put(static_cast<std::uint64_t>(c.kind));
  out.put(c.compute_units);
  out.put(c.pci ? "1" + *c.pci : std::string("0"));
  out.put(c.unfit);
}

Candidate read_candidate(NetstringReader& in) {
  Candidate c;
  c.device_index = static_cast<std::uint32_t>(in.number());
  c.platform = in.text();
  c.name = in.text();
  c.kind = static_cast<DeviceKind>(std::min<std::uint64_t>(in.number(), 2));
  c.compute_units = static_cast<std::uint32_t>(in.number());
  if (const std::string pci = in.text(); pci.size() > 1) c.pci = pci.substr(1);
  c.unfit = in.text();
  return c;
}

void put(Netstrings& out, const DeviceDescription& d) {
  for (const std::string* text : {&d.name, &d.platform, &d.vendor, &d.backend, &d.arithmetic}) out.put(*text);
  out.put(static_cast<std::uint64_t>(d.kind));
  for (const bool flag : {d.discrete, d.blocking, d.overlapping_views, d.takes_ptx}) out.put(std::uint64_t{flag});
}

DeviceDescription read_description(NetstringReader& in) {
  DeviceDescription d;
  for (std::string* text : {&d.name, &d.platform, &d.vendor, &d.backend, &d.arithmetic}) *text = in.text();
  d.kind = static_cast<DeviceKind>(std::min<std::uint64_t>(in.number(), 2));
  for (bool* flag : {&d.discrete, &d.blocking, &d.overlapping_views, &d.takes_ptx}) *flag = in.number() != 0;
  return d;
}

void put(Netstrings& out, const KeptAnswers& facts) {
  put(out, facts.description);
  out.put(facts.infos.size());
  for (const auto& [name, answer] : facts.infos) {
    out.put(name);
    out.put(std::uint64_t{answer ? 1u : 0u});
    if (answer) {
      out.put(*answer);
    } else {
      out.put(static_cast<std::uint32_t>(answer.error().code));
      out.put(answer.error().reason);
    }
  }
  out.put(facts.formats.size());
  for (const auto& [what, list] : facts.formats) {
    out.put(what.first);
    out.put(what.second);
    out.put(std::string_view(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(cl_image_format)));
  }
}

KeptAnswers read_host(NetstringReader& in) {
  KeptAnswers facts;
  facts.description = read_description(in);
  for (std::uint64_t left = in.count(); left > 0 && in.good(); --left) {
    const auto name = static_cast<cl_device_info>(in.number());
    if (in.number() == 1) {
      facts.infos.emplace(name, in.bytes());
    } else {
      const auto code = static_cast<cl_int>(static_cast<std::uint32_t>(in.number()));
      facts.infos.emplace(name, Error{code, in.text()});
    }
  }
  for (std::uint64_t left = in.count(); left > 0 && in.good(); --left) {
    const cl_mem_flags flags = in.number();
    const auto type = static_cast<cl_mem_object_type>(in.number());
    const std::vector<std::byte> bytes = in.bytes();
    std::vector<cl_image_format> list(bytes.size() / sizeof(cl_image_format));
    if (!list.empty()) std::memcpy(list.data(), bytes.data(), list.size() * sizeof(cl_image_format));
    facts.formats.emplace(std::pair{flags, type}, std::move(list));
  }
  return facts;
}

bool is_read_by_drivers(std::string_view variable) {
  return variable.starts_with("POCL_") || variable.starts_with("HWLOC_") || variable.starts_with("LD_LIBRARY_PATH=");
}

}  // namespace

std::string encode(const DriverFacts& facts) {
  Netstrings out;
  out.put(kFormat);
  out.put(facts.file);
  out.put(facts.candidates.size());
  for (const Candidate& candidate : facts.candidates) put(out, candidate);
  out.put(facts.host);
  put(out, facts.answers);
  return out.take();
}

std::optional<DriverFacts> decode_driver_facts(const std::string& text) {
  NetstringReader in(text);
  if (in.text() != kFormat) return std::nullopt;
  DriverFacts facts;
  facts.file = in.text();
  for (std::uint64_t left = in.count(); left > 0 && in.good(); --left) facts.candidates.push_back(read_candidate(in));
  facts.host = static_cast<std::uint32_t>(in.number());
  facts.answers = read_host(in);
  if (!in.complete() || facts.host >= facts.candidates.size()) return std::nullopt;
  return facts;
}

std::string facts_key(const std::string& library) {
  Netstrings out;
  out.put(kFormat);
  out.put(library);
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (is_read_by_drivers(*variable)) variables.emplace_back(*variable);
  }
  std::sort(variables.begin(), variables.end());
  for (const std::string& variable : variables) out.put(variable);
  out.put(cpu::processor_name());
  for (const int name : {_SC_PHYS_PAGES, _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN})
    out.put(static_cast<std::uint64_t>(std::max(0L, sysconf(name))));
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  (void)sched_getaffinity(0, sizeof allowed, &allowed);
  out.put(std::string_view(reinterpret_cast<const char*>(&allowed), sizeof allowed));
  return out.take();
}

bool keeps_facts(const std::string& platform) { return platform == "Portable Computing Language"; }

}  // namespace skmd::icd
