// SPDX-License-Identifier: Apache-2.0
#include "profiler/stats_documents.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "profiler/profiler_constants.h"

namespace skmd::profiler {

namespace {

using json = nlohmann::ordered_json;

template <class T>
T at(const std::string& bytes, std::size_t place) {
  T value{};
  if (place + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

/// As much of the file as is in use; it is sparse beyond.
std::string read_used(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(64, '\0');
  file.read(bytes.data(), 64);
  if (!file || bytes.compare(0, 8, "SKMDPIEC") != 0 || at<std::uint32_t>(bytes, 8) != 1) return {};
  const auto used = at<std::uint32_t>(bytes, 12);
  if (used < 64) return {};
  bytes.resize(used);
  file.read(bytes.data() + 64, used - 64);
  return file ? bytes : std::string();
}

void add_numbers(json& sum, const json& more) {
  for (const auto& [key, value] : more.items()) {
    if (!value.is_number()) continue;
    json& mine = sum[key];
    if (mine.is_number_float() || value.is_number_float()) {
      mine = (mine.is_number() ? mine.get<double>() : 0.0) + value.get<double>();
    } else {
      mine = (mine.is_number() ? mine.get<std::uint64_t>() : 0) + value.get<std::uint64_t>();
    }
  }
}

/// A source that predicted something, and the mean of errors, weighted by launches. Before the launches are added.
void add_model(json& sum, const json& more) {
  if (!sum.contains("model") || !more.contains("model")) return;
  json& mine = sum["model"];
  const json& other = more["model"];
  if (mine["source"] == "none") mine["source"] = other["source"];
  if (!other["error"].is_number()) return;
  if (!mine["error"].is_number()) {
    mine["error"] = other["error"];
    return;
  }
  const double before = sum["launches"].get<double>(), added = more["launches"].get<double>();
  if (before + added > 0)
    mine["error"] = (mine["error"].get<double>() * before + other["error"].get<double>() * added) / (before + added);
}

void add_profile(json& sum, const json& more) {
  if (!sum.contains("profile") || !more.contains("profile")) return;
  add_numbers(sum["profile"], more["profile"]);
  for (const char* key : {"file", "problem"})
    if (sum["profile"][key].is_null()) sum["profile"][key] = more["profile"][key];
}

/// The earliest of all processes; 0: none of them split a launch.
std::uint64_t first_split(const json& one, const json& other) {
  const auto a = one.value("first_split", std::uint64_t{0}), b = other.value("first_split", std::uint64_t{0});
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

/// Medians cannot be told of two lists of times: of them, weighted by stops.
void add_preempt(json& sum, const json& more) {
  constexpr const char* kKey = "preempt";
  if (!sum.contains(kKey) || !more.contains(kKey)) return;
  json& mine = sum[kKey];
  const json& other = more[kKey];
  const double stops = mine["stops"].get<double>(), others = other["stops"].get<double>();
  for (const char* key : {"p50", "p99"})
    if (stops + others > 0)
      mine["stop_us"][key] =
          (mine["stop_us"][key].get<double>() * stops + other["stop_us"][key].get<double>() * others) /
          (stops + others);
  mine["stop_us"]["max"] = std::max(mine["stop_us"]["max"].get<double>(), other["stop_us"]["max"].get<double>());
  // Of the code, not of what happened: the larger one.
  json of_code = json::object();
  for (const char* key : {"points", "state_bytes"})
    of_code[key] = std::max(mine.value(key, std::uint64_t{0}), other.value(key, std::uint64_t{0}));
  add_numbers(mine, other);
  mine.update(of_code);
  add_numbers(mine["why_not"], other["why_not"]);
  if (other.contains("resumed_groups")) add_numbers(mine["resumed_groups"], other["resumed_groups"]);
  for (const char* key : {"moved_groups", "moved_inside"}) {
    if (!mine.contains(key) || !other.contains(key)) continue;
    for (std::size_t i = 0; i < mine[key].size() && i < other[key].size(); ++i)
      mine[key][i] = mine[key][i].get<std::uint64_t>() + other[key][i].get<std::uint64_t>();
  }
  const auto rank = [](const json& form) { return form == "item" ? 3 : form == "group" ? 2 : form == "cut" ? 1 : 0; };
  if (rank(other["form"]) > rank(mine["form"])) mine["form"] = other["form"];
}

void add_kernel(json& sum, const json& more) {
  const std::uint64_t split = first_split(sum, more);
  add_preempt(sum, more);
  add_model(sum, more);
  add_numbers(sum, more);
  sum["first_split"] = split;
  add_numbers(sum["merge"], more["merge"]);
  add_numbers(sum["not_split"], more["not_split"]);
  for (std::size_t i = 0; i < sum["groups"].size() && i < more["groups"].size(); ++i) {
    sum["groups"][i] = sum["groups"][i].get<std::uint64_t>() + more["groups"][i].get<std::uint64_t>();
  }
  if (!sum.contains("devices") || !more.contains("devices")) return;
  for (std::size_t i = 0; i < sum["devices"].size() && i < more["devices"].size(); ++i)
    add_numbers(sum["devices"][i], more["devices"][i]);
}

void add_kernels(json& sum, const json& more) {
  for (const json& kernel : more) {
    const auto same = [&](const json& other) {
      return other["name"] == kernel["name"] && other["program"] == kernel["program"];
    };
    const auto found = std::find_if(sum.begin(), sum.end(), same);
    if (found == sum.end()) {
      sum.push_back(kernel);
    } else {
      add_kernel(*found, kernel);
    }
  }
}

/// Enough to look at; all of them are counted.
void add_first_mismatches(json& sum, const json& more) {
  if (!more.contains("first")) return;
  json& kept = sum["first"];
  if (!kept.is_array()) kept = json::array();
  for (const json& mismatch : more["first"]) {
    if (kept.size() < tuning::kKeptMismatches) kept.push_back(mismatch);
  }
}

/// Of processes that have it: those with our CPU driver.
void add_other_driver(json& sum, const json& more) {
  constexpr const char* kKey = "other_cpu_driver";
  if (!sum.contains(kKey) || !more.contains(kKey)) return;
  json& mine = sum[kKey];
  const auto add = [](json& to, const json& from) { to = to.get<std::uint64_t>() + from.get<std::uint64_t>(); };
  add(mine["launches"], more[kKey]["launches"]);
  for (const json& kernel : more[kKey]["kernels"]) {
    json& known = mine["kernels"];
    const auto found = std::find_if(known.begin(), known.end(), [&](const json& other) {
      return other["name"] == kernel["name"] && other["reason"] == kernel["reason"];
    });
    if (found != known.end())
      add((*found)["launches"], kernel["launches"]);
    else if (known.size() < tuning::kKeptKernels)
      known.push_back(kernel);
  }
}

void add_traps(json& sum, const json& more) {
  constexpr const char* kKey = "traps";
  if (!sum.contains(kKey) || !more.contains(kKey)) return;
  for (const char* number : {"count", "never_ran", "left_items", "left_groups"})
    if (more[kKey].contains(number))
      sum[kKey][number] = sum[kKey].value(number, std::uint64_t{0}) + more[kKey][number].get<std::uint64_t>();
  if (more[kKey].contains("why_not"))
    for (const auto& [reason, launches] : more[kKey]["why_not"].items())
      sum[kKey]["why_not"][reason] =
          sum[kKey]["why_not"].value(reason, std::uint64_t{0}) + launches.get<std::uint64_t>();
  json& first = sum[kKey]["first"];
  for (const json& trap : more[kKey]["first"])
    if (first.size() < tuning::kKeptTraps) first.push_back(trap);
}

/// Links to other machines: what a later process measured counts, and a host that any of them lost is lost.
void add_hosts(json& sum, const json& more) {
  constexpr const char* kKey = "hosts";
  if (!sum.contains(kKey) || !more.contains(kKey)) return;
  for (std::size_t i = 0; i < sum[kKey].size() && i < more[kKey].size(); ++i)
    for (const auto& [key, value] : more[kKey][i].items())
      if (value.is_number() || value == true) sum[kKey][i][key] = value;
}

/// Numbers of one device in each entry of a list, the device's own left alone.
void add_per_device(json& sum, const json& more) {
  for (std::size_t i = 0; i < sum.size() && i < more.size(); ++i) {
    const json device = sum[i]["device"];
    add_numbers(sum[i], more[i]);
    sum[i]["device"] = device;
  }
}

void add_builds(json& sum, const json& more) {
  if (!sum.contains("builds") || !more.contains("builds")) return;
  json& devices = sum["builds"]["devices"];
  for (std::size_t i = 0; i < devices.size() && i < more["builds"]["devices"].size(); ++i)
    for (auto& [key, value] : devices[i].items()) {
      const json& other = more["builds"]["devices"][i][key];
      if (key == "device") continue;
      if (value.is_number_integer())
        value = value.get<std::uint64_t>() + other.get<std::uint64_t>();
      else
        value = value.get<double>() + other.get<double>();
    }
  json& failures = sum["builds"]["failures"];
  for (const json& failure : more["builds"]["failures"])
    if (failures.size() < tuning::kKeptBuilds) failures.push_back(failure);
}

/// What the pieces of a document lack (Stats::tail()).
void add_cached(json& document) {
  if (!document.contains("kernels") || !document.contains("partition")) return;
  std::uint64_t launches = 0;
  for (const json& kernel : document["kernels"]) launches += kernel.value("launches", std::uint64_t{0});
  const auto planned = document["partition"].value("count", std::uint64_t{0});
  document["partition"]["cached"] = launches - std::min(launches, planned);
}

void add_partition(json& sum, const json& more) {
  const double mine = sum["count"].get<double>();
  const double others = more["count"].get<double>();
  for (const char* key : {"p50_us", "p99_us"})
    if (mine + others > 0 && sum.contains(key) && more.contains(key))
      sum[key] = (sum[key].get<double>() * mine + more[key].get<double>() * others) / (mine + others);
  sum["cached"] = sum.value("cached", std::uint64_t{0}) + more.value("cached", std::uint64_t{0});
  sum["count"] = sum["count"].get<std::uint64_t>() + more["count"].get<std::uint64_t>();
  sum["max_us"] = std::max(sum["max_us"].get<double>(), more["max_us"].get<double>());
}

}  // namespace

std::optional<json> read_pieces(const std::string& path) {
  const std::string bytes = read_used(path);
  std::string head, elements, tail;
  for (std::size_t place = 64; place + 16 <= bytes.size();) {
    const std::size_t capacity = at<std::uint32_t>(bytes, place);
    const auto kind = at<std::uint32_t>(bytes, place + 4);
    const auto word = at<std::uint64_t>(bytes, place + 8);
    if (word / 2 > capacity || place + 16 + 2 * capacity > bytes.size()) return std::nullopt;
    const std::string text = bytes.substr(place + 16 + (word & 1) * capacity, word / 2);
    if (kind == 0) head = text;
    if (kind == 1 && !text.empty()) elements += (elements.empty() ? "" : ",") + text;
    if (kind == 2) tail = text;
    place += 16 + 2 * capacity;
  }
  json document = json::parse(head + elements + tail, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  add_cached(document);
  return document;
}

std::vector<ProcessStats> read_folder(const std::string& folder) {
  std::vector<ProcessStats> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".pieces") continue;
    ProcessStats stats;
    const std::string name = entry.path().stem();
    std::from_chars(name.data(), name.data() + name.size(), stats.process);
    if (auto document = read_pieces(entry.path())) {
      stats.document = std::move(*document);
      found.push_back(std::move(stats));
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.process < b.process; });
  return found;
}

json add_up(const std::vector<ProcessStats>& processes) {
  json sum;
  for (const ProcessStats& process : processes) {
    const json& more = process.document;
    if (sum.is_null()) {
      sum = more;
    } else if (sum["devices"] == more["devices"]) {
      add_kernels(sum["kernels"], more["kernels"]);
      add_per_device(sum["transfers"], more["transfers"]);
      if (sum.contains("memory") && more.contains("memory")) add_per_device(sum["memory"], more["memory"]);
      add_partition(sum["partition"], more["partition"]);
      add_builds(sum, more);
      add_profile(sum, more);
      add_hosts(sum, more);
      add_other_driver(sum, more);
      add_traps(sum, more);
      add_numbers(sum["verify"], more["verify"]);
      add_first_mismatches(sum["verify"], more["verify"]);
    }
  }
  return sum;
}

}  // namespace skmd::profiler
