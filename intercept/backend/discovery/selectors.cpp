// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/discovery/selectors.h"

#include <algorithm>
#include <sstream>

namespace skmd::icd {
namespace {

using domain::Error;
using domain::Result;

constexpr const char* kDiscreteMark = "@discrete";
constexpr const char* kAllMark = "*";

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

/// The best CPU device of one machine.
std::optional<std::size_t> cpu_of(const std::vector<Candidate>& candidates, const std::string& host) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (c.host != host || c.kind != DeviceKind::cpu || !c.unfit.empty() || is_simulator(c)) continue;
    if (!best || better_host(c, candidates[*best])) best = i;
  }
  return best;
}

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

/// One GPU of this machine seen through two platforms. Two devices of one platform are always two: equal addresses
/// there mean partitions of one board. Names decide only if `by_name` and an address is missing.
bool same_gpu(const std::vector<Candidate>& candidates, std::size_t a, std::size_t b, bool by_name) {
  const Candidate& x = candidates[a];
  const Candidate& y = candidates[b];
  if (!x.host.empty() || !y.host.empty()) return false;
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
    const Candidate& c = candidates_[index];
    selection_.devices.push_back({index, discrete || c.kind != DeviceKind::cpu || !c.host.empty(), host});
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
    } else if (c.kind != DeviceKind::cpu || !c.host.empty()) {
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

/// `@discrete` is taken off the end of `body`.
domain::Result<bool> take_mark(const std::string& selector, std::string& body) {
  const auto at = body.rfind('@');
  if (at == std::string::npos) return false;
  if (lower(trimmed(body.substr(at))) != kDiscreteMark)
    return bad_selector(selector, "ends in '" + body.substr(at) + "'; only @discrete is known");
  body = trimmed(body.substr(0, at));
  return true;
}

domain::Status nothing_taken(const std::string& selector, const std::string& unfit) {
  return bad_selector(selector,
                      unfit.empty() ? "matches no device" : "matches only devices that cannot take part: " + unfit);
}

domain::Status take_matches(const std::vector<Candidate>& candidates, const std::string& selector, Chooser& chooser) {
  std::string body = selector;
  const auto discrete = take_mark(selector, body);
  if (!discrete) return discrete.error();
  if (lower(body) == "cpu") {
    const auto host = host_cpu(candidates);
    if (!host) return bad_selector(selector, "matches no device: no CPU driver is installed");
    chooser.take(*host, *discrete, true);
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
    if (!c.host.empty() || !named || !contains(c.platform, platform)) continue;
    if (!c.unfit.empty()) {
      unfit = c.unfit;
      chooser.leave(i, c.unfit);
      continue;
    }
    chooser.take(i, *discrete);
    any = true;
  }
  return any ? domain::Status() : nothing_taken(selector, unfit);
}

/// Which devices of `host` the selector `body` means, in their order; nothing: it is no selector.
std::optional<std::vector<std::size_t>> far_matches(const std::vector<Candidate>& candidates, const std::string& host,
                                                    const std::string& body) {
  std::vector<std::size_t> found;
  if (lower(body) == "cpu") {
    if (const auto cpu = cpu_of(candidates, host)) found.push_back(*cpu);
    return found;
  }
  const auto colon = body.find(':');
  if (body != kAllMark && colon == std::string::npos) return std::nullopt;
  const std::string platform = body == kAllMark ? "" : trimmed(body.substr(0, colon));
  const std::string device = body == kAllMark ? "" : trimmed(body.substr(colon + 1));
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (c.host != host || !(contains(c.vendor, platform) || contains(c.name, platform))) continue;
    if (all_digits(device) ? same_number(device, index) : contains(c.name, device)) found.push_back(i);
    ++index;
  }
  return found;
}

/// A selector with a '/'.
domain::Status take_far_matches(const std::vector<Candidate>& candidates, const std::vector<RemoteHost>& hosts,
                                const std::string& selector, Chooser& chooser) {
  const auto slash = selector.find('/');
  const std::string address = trimmed(selector.substr(0, slash));
  const auto host = std::find_if(hosts.begin(), hosts.end(), [&](const auto& each) { return each.address == address; });
  if (host == hosts.end()) return bad_selector(selector, "names the host '" + address + "', which SKMD_HOSTS does not");
  std::string body = trimmed(selector.substr(slash + 1));
  if (const auto mark = take_mark(selector, body); !mark) return mark.error();
  const auto matches = far_matches(candidates, address, body);
  if (!matches) return bad_selector(selector, "has neither '*', 'cpu' nor 'platform:device' behind its '/'");
  if (!host->away.empty()) return {};
  std::string unfit;
  bool any = false;
  for (const std::size_t i : *matches) {
    const Candidate& c = candidates[i];
    if (c.unfit.empty()) {
      chooser.take(i, true);
      any = true;
    } else {
      unfit = c.unfit;
      chooser.leave(i, c.unfit);
    }
  }
  return any ? domain::Status() : nothing_taken(selector, unfit);
}

}  // namespace

std::string shown(const Candidate& c) { return (c.host.empty() ? c.platform : c.host) + ": " + c.name; }

std::optional<std::size_t> host_cpu(const std::vector<Candidate>& candidates) { return cpu_of(candidates, ""); }

Result<Selection> select_devices(const std::vector<Candidate>& candidates, const std::string& text,
                                 const std::vector<RemoteHost>& hosts) {
  if (trimmed(text).empty()) return default_choice(candidates);
  Chooser chooser(candidates, false);
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::string selector = trimmed(part);
    if (selector.empty()) return bad_selector(part, "is empty");
    const bool far = selector.find('/') != std::string::npos;
    auto taken =
        far ? take_far_matches(candidates, hosts, selector, chooser) : take_matches(candidates, selector, chooser);
    if (!taken) return taken.error();
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
    const bool shares = mine.host.empty() && mine.platform == kPoclPlatform && mine.kind == DeviceKind::cpu;
    first[i] =
        !shares ? i : static_cast<std::size_t>(std::find_if(devices.begin(), devices.end(), alike) - devices.begin());
  }
  return first;
}

}  // namespace skmd::icd
