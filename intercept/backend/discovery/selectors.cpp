// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/selectors.h"

#include <algorithm>
#include <sstream>

namespace skmd::icd {
namespace {

using domain::Error;
using domain::Result;

constexpr const char* kDiscreteMark = "@discrete";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return text;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool contains(const std::string& text, const std::string& part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

bool all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// By digits, so that no index is too long to compare.
bool same_number(const std::string& digits, std::uint32_t value) {
  const auto first = digits.find_first_not_of('0');
  return (first == std::string::npos ? "0" : digits.substr(first)) == std::to_string(value);
}

bool is_simulator(const Candidate& c) { return contains(c.platform, "oclgrind") || contains(c.name, "oclgrind"); }

std::string shown(const Candidate& c) { return c.platform + ": " + c.name; }

/// Several drivers may show the same cores, and the virtual device can do no more than the one that is taken: first
/// what programs miss most. Mesa's have no doubles or a version of 1.1, and one of them counts more units than there
/// are cores. PoCL shows them twice where both of its CPU devices are enabled; `pthread` is the one with threads.
bool better_host(const Candidate& a, const Candidate& b) {
  if (a.fp64 != b.fp64) return a.fp64;
  if (a.compute_units != b.compute_units) return a.compute_units > b.compute_units;
  if (a.version != b.version) return a.version > b.version;
  const auto single_threaded = [](const Candidate& c) { return lower(c.name).starts_with("basic"); };
  return !single_threaded(a) && single_threaded(b);
}

}  // namespace

std::optional<std::size_t> host_cpu(const std::vector<Candidate>& candidates) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (c.kind != DeviceKind::cpu || !c.unfit.empty() || is_simulator(c)) continue;
    if (!best || better_host(c, candidates[*best])) best = i;
  }
  return best;
}

namespace {

/// Position of `index` among the devices of its platform that carry the same name.
std::uint32_t ordinal(const std::vector<Candidate>& candidates, std::size_t index) {
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < index; ++i) {
    const Candidate& c = candidates[i];
    if (c.platform_index == candidates[index].platform_index && lower(c.name) == lower(candidates[index].name))
      ++before;
  }
  return before;
}

/// One GPU seen through two platforms. Two devices of one platform are always two: equal addresses there mean
/// partitions of one board. Names decide only if `by_name` and an address is missing.
bool same_gpu(const std::vector<Candidate>& candidates, std::size_t a, std::size_t b, bool by_name) {
  const Candidate& x = candidates[a];
  const Candidate& y = candidates[b];
  if (x.kind != DeviceKind::gpu || y.kind != DeviceKind::gpu || x.platform_index == y.platform_index) return false;
  if (x.pci && y.pci) return *x.pci == *y.pci;
  return by_name && lower(x.name) == lower(y.name) && ordinal(candidates, a) == ordinal(candidates, b);
}

class Chooser {
 public:
  Chooser(const std::vector<Candidate>& candidates, bool by_name) : candidates_(candidates), by_name_(by_name) {}

  void take(std::size_t index, bool discrete, bool host = false) {
    for (Selected& s : selection_.devices) {
      if (s.candidate == index) {
        s.discrete = s.discrete || discrete;
        s.host = s.host || host;
        return;
      }
      if (same_gpu(candidates_, s.candidate, index, by_name_)) {
        selection_.left_out.push_back(shown(candidates_[index]) + ": the same GPU is used through " +
                                      candidates_[s.candidate].platform);
        return;
      }
    }
    selection_.devices.push_back({index, discrete || candidates_[index].kind != DeviceKind::cpu, host});
  }
  void leave(std::size_t index, const std::string& reason) {
    const std::string line = shown(candidates_[index]) + ": " + reason;
    auto& lines = selection_.left_out;
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  Selection finish() { return std::move(selection_); }

 private:
  const std::vector<Candidate>& candidates_;
  bool by_name_;
  Selection selection_;
};

Selection default_choice(const std::vector<Candidate>& candidates) {
  Chooser chooser(candidates, true);
  const auto host = host_cpu(candidates);
  if (host) chooser.take(*host, false, true);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (!c.unfit.empty()) {
      chooser.leave(i, c.unfit);
    } else if (is_simulator(c)) {
      chooser.leave(i, "a simulator takes part only when named");
    } else if (c.kind != DeviceKind::cpu) {
      chooser.take(i, true);
    } else if (i != host) {
      chooser.leave(i, "the host CPU is used through " + shown(candidates[*host]));
    }
  }
  return chooser.finish();
}

Error bad_selector(const std::string& selector, const std::string& why) {
  return Error{CL_DEVICE_NOT_FOUND, "SKMD_DEVICES: selector '" + selector + "' " + why};
}

domain::Status take_matches(const std::vector<Candidate>& candidates, const std::string& selector, Chooser& chooser) {
  std::string body = selector;
  bool discrete = false;
  if (const auto at = body.rfind('@'); at != std::string::npos) {
    if (lower(trimmed(body.substr(at))) != kDiscreteMark) {
      return bad_selector(selector, "ends in '" + body.substr(at) + "'; only @discrete is known");
    }
    discrete = true;
    body = trimmed(body.substr(0, at));
  }
  if (lower(body) == "cpu") {
    const auto host = host_cpu(candidates);
    if (!host) return bad_selector(selector, "matches no device: no CPU driver is installed");
    chooser.take(*host, discrete, true);
    return {};
  }
  const auto colon = body.find(':');
  if (colon == std::string::npos) {
    return bad_selector(selector, "is neither 'cpu' nor 'platform:device'");
  }
  const std::string platform = trimmed(body.substr(0, colon));
  const std::string device = trimmed(body.substr(colon + 1));
  std::string unfit;
  bool any = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    const bool named = all_digits(device) ? same_number(device, c.device_index) : contains(c.name, device);
    if (!named || !contains(c.platform, platform)) continue;
    if (!c.unfit.empty()) {
      unfit = c.unfit;
      chooser.leave(i, c.unfit);
      continue;
    }
    chooser.take(i, discrete);
    any = true;
  }
  if (any) return {};
  return bad_selector(selector,
                      unfit.empty() ? "matches no device" : "matches only devices that cannot take part: " + unfit);
}

}  // namespace

Result<Selection> select_devices(const std::vector<Candidate>& candidates, const std::string& text) {
  if (trimmed(text).empty()) return default_choice(candidates);
  Chooser chooser(candidates, false);
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::string selector = trimmed(part);
    if (selector.empty()) return bad_selector(part, "is empty");
    if (auto taken = take_matches(candidates, selector, chooser); !taken) return taken.error();
  }
  return chooser.finish();
}

std::vector<std::size_t> taking_turns(const std::vector<Candidate>& candidates, const std::vector<Selected>& devices) {
  std::vector<std::size_t> first(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Candidate& mine = candidates[devices[i].candidate];
    const auto alike = [&](const Selected& selected) {
      const Candidate& other = candidates[selected.candidate];
      return other.platform_index == mine.platform_index && other.name == mine.name;
    };
    const bool shares = mine.platform == kPoclPlatform && mine.kind == DeviceKind::cpu;
    first[i] =
        !shares ? i : static_cast<std::size_t>(std::find_if(devices.begin(), devices.end(), alike) - devices.begin());
  }
  return first;
}

}  // namespace skmd::icd
