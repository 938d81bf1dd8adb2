// SPDX-License-Identifier: Apache-2.0
#include "profiler/explain_stats.h"

#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "profiler/explain_work.h"

namespace skmd::profiler {

namespace {

using domain::Error;
using domain::Result;
using nlohmann::json;

std::string number(double value, const char* format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string times(std::uint64_t count, const char* thing) {
  const std::string things = std::string(thing) + (count == 1                                                ? ""
                                                   : thing[std::char_traits<char>::length(thing) - 1] == 'h' ? "es"
                                                                                                             : "s");
  return std::to_string(count) + " " + things;
}

/// Reads members with their kinds, and remembers the first that is not as it should be.
class Document {
 public:
  const json& list(const json& from, const char* key) { return member(from, key, json::value_t::array, "a list"); }
  const json& object(const json& from, const char* key) {
    return member(from, key, json::value_t::object, "an object");
  }
  std::string text(const json& from, const char* key) {
    const json& found = member(from, key, json::value_t::string, "a text");
    return found.is_string() ? found.get<std::string>() : "";
  }
  std::uint64_t count(const json& from, const char* key) {
    return number_in(member(from, key, json::value_t::number_unsigned, "a count"), key);
  }
  std::uint64_t number_in(const json& value, const std::string& name) {
    if (!value.is_number_unsigned()) miss(name, "a count");
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  }
  double real(const json& from, const char* key) {
    const bool found = from.is_object() && from.contains(key) && from[key].is_number();
    if (!found) miss(key, "a number");
    return found ? from[key].get<double>() : 0.0;
  }
  [[nodiscard]] const std::optional<Error>& trouble() const { return trouble_; }

 private:
  const json& member(const json& from, const char* key, json::value_t kind, const char* what) {
    static const json kNothing;
    const auto found = from.is_object() ? from.find(key) : from.end();
    const bool good = from.is_object() && found != from.end() && found->type() == kind;
    if (!good) miss(key, what);
    return good ? *found : kNothing;
  }
  void miss(const std::string& key, const char* what) {
    if (!trouble_) trouble_ = Error{0, "this is no statistics file of SKMD: \"" + key + "\" is not " + what};
  }

  std::optional<Error> trouble_;
};

std::optional<domain::NotSplit> reason_named(const std::string& text) {
  for (std::uint8_t i = 0; i < domain::kNotSplitCount; ++i) {
    if (domain::name(static_cast<domain::NotSplit>(i)) == text) return static_cast<domain::NotSplit>(i);
  }
  return std::nullopt;
}

class Teller {
 public:
  explicit Teller(const json& root) : root_(root) {}

  Result<std::string> tell() {
    if (document_.count(root_, "version") != 1 && !document_.trouble()) {
      return Error{0, "this statistics file has a version that this skmd-info does not know"};
    }
    tell_devices();
    for (const json& kernel : document_.list(root_, "kernels")) tell_kernel(kernel);
    tell_transfers();
    tell_partition();
    tell_other_driver();
    tell_traps();
    tell_profile();
    tell_verification();
    if (document_.trouble()) return *document_.trouble();
    return out_;
  }

 private:
  void line(int depth, const std::string& text) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    out_ += text + "\n";
  }

  [[nodiscard]] std::string device(std::uint64_t index) const {
    return index < devices_.size() ? devices_[index] : "device " + std::to_string(index);
  }

  void tell_devices() {
    const json& devices = document_.list(root_, "devices");
    line(0, "The virtual device was made of " + times(devices.size(), "device") + ":");
    for (const json& entry : devices) {
      devices_.push_back(document_.text(entry, "name"));
      line(1, devices_.back() + " (" + document_.text(entry, "kind") + ")");
    }
  }

  void tell_kernel(const json& kernel) {
    const std::uint64_t launches = document_.count(kernel, "launches");
    const std::uint64_t split = document_.count(kernel, "split_launches");
    const std::string share = split == 0          ? "none of them split"
                              : split == launches ? "all of them split"
                                                  : std::to_string(split) + " of them split";
    line(0, "");
    line(0, "Kernel " + document_.text(kernel, "name") + " (program " + document_.text(kernel, "program") +
                "): " + times(launches, "launch") + ", " + share + ", " +
                number(document_.real(kernel, "seconds"), "%.6g") + " s in all.");
    tell_model(kernel);
    tell_work(kernel, split == launches);
    if (split != 0) {
      tell_splits(kernel);
      tell_rungs(document_.object(kernel, "merge"));
    }
    for (const auto& [name, count] : document_.object(kernel, "not_split").items()) {
      const auto reason = reason_named(name);
      line(1, times(document_.number_in(count, name), "launch") + " stayed whole (" + name +
                  "): " + (reason ? sentence_for(*reason) : "This reason is unknown to this skmd-info."));
    }
  }

  /// Of statistics that have it.
  void tell_model(const json& kernel) {
    if (!kernel.contains("model")) return;
    const json& model = document_.object(kernel, "model");
    const std::string source = document_.text(model, "source");
    if (source == "none") return line(1, "Its time was never predicted.");
    const std::string from = source == "process"    ? "what the process had measured"
                             : source == "database" ? "the profile database"
                                                    : "samples that came with SKMD";
    if (!model.contains("error") || model["error"].is_null())
      return line(1, "Its time was predicted from " + from + ".");
    line(1, "Its time was predicted from " + from + ", off by " +
                number(100.0 * document_.real(model, "error"), "%.1f") + "% in late launches.");
  }

  void tell_profile() {
    if (!root_.contains("profile")) return;
    const json& profile = document_.object(root_, "profile");
    if (profile.contains("file") && profile["file"].is_null()) return;
    line(0, "Profile database " + document_.text(profile, "file") + ": " +
                times(document_.count(profile, "loaded"), "sample") + " read, " +
                times(document_.count(profile, "written"), "sample") + " written.");
    if (profile.contains("problem") && profile["problem"].is_null()) return;
    line(1, "No more are written: " + document_.text(profile, "problem") + ".");
  }

  /// Which device ran how many groups in what time, what was predicted, and what the launches waited for.
  void tell_work(const json& kernel, bool all_split) {
    const std::vector<DeviceWork> works = works_of(kernel);
    std::uint64_t total = 0;
    for (const DeviceWork& work : works) total += work.groups;
    if (total == 0) return;
    for (const DeviceWork& work : works) line(1, ran_sentence(work, total));
    if (!kernel.contains("devices")) return;
    line(1, bound_sentence(works));
    if (const std::string balance = all_split ? balance_sentence(works) : ""; !balance.empty()) line(1, balance);
  }

  /// Transfers belong to no kernel but those that a launch waited for; of a single kernel they are all its own.
  std::vector<DeviceWork> works_of(const json& kernel) {
    std::vector<DeviceWork> works;
    for (const json& entry : document_.list(kernel, "groups"))
      works.push_back({.device = device(works.size()), .groups = document_.number_in(entry, "groups")});
    if (!kernel.contains("devices")) return works;  // of an older SKMD
    const json& devices = document_.list(kernel, "devices");
    for (std::size_t i = 0; i < works.size() && i < devices.size(); ++i) {
      works[i].seconds = document_.real(devices[i], "seconds");
      works[i].predicted_seconds = document_.real(devices[i], "predicted_seconds");
      works[i].compared_seconds =
          devices[i].contains("compared_seconds") ? document_.real(devices[i], "compared_seconds") : works[i].seconds;
      if (!devices[i].contains("upload_seconds")) continue;
      works[i].link_seconds = document_.real(devices[i], "upload_seconds");
      works[i].link_bytes = document_.count(devices[i], "upload_bytes");
    }
    if (document_.list(root_, "kernels").size() != 1) return works;
    for (const json& moved : document_.list(root_, "transfers")) {
      const std::uint64_t index = document_.count(moved, "device");
      if (index >= works.size() || !moved.contains("seconds_to")) continue;
      works[index].link_seconds = document_.real(moved, "seconds_to") + document_.real(moved, "seconds_from");
      works[index].link_bytes = document_.count(moved, "bytes_to") + document_.count(moved, "bytes_from");
    }
    return works;
  }

  /// Of kernels that were split.
  void tell_splits(const json& kernel) {
    if (kernel.contains("first_split"))
      line(1, "The first launch that was split was number " + std::to_string(document_.count(kernel, "first_split")) +
                  ".");
    const json& partition = document_.object(root_, "partition");
    if (!partition.contains("mode")) return;
    const std::string_view how = mode_sentence(document_.text(partition, "mode"));
    if (!how.empty()) line(1, "Launches were divided by SKMD_PARTITION=" + std::string(how));
  }

  void tell_rungs(const json& merge) {
    for (const domain::Rung rung :
         {domain::Rung::disjoint, domain::Rung::kernel, domain::Rung::diff, domain::Rung::reduce}) {
      const std::string name(domain::name(rung));
      if (!merge.contains(name)) continue;
      const std::uint64_t count = document_.number_in(merge[name], name);
      if (count != 0) line(1, "Results of " + times(count, "buffer") + " (" + name + "): " + sentence_for(rung) + ".");
    }
  }

  void tell_transfers() {
    line(0, "");
    for (const json& entry : document_.list(root_, "transfers")) {
      line(0, device(document_.count(entry, "device")) + ": " + byte_count(document_.count(entry, "bytes_to")) +
                  " were moved to it, " + byte_count(document_.count(entry, "bytes_from")) + " from it.");
    }
    if (!root_.contains("memory")) return;
    for (const json& entry : document_.list(root_, "memory")) {
      const std::uint64_t dropped = document_.count(entry, "dropped");
      if (dropped == 0) continue;
      line(0, device(document_.count(entry, "device")) + " gave up copies of buffers " + times(dropped, "time") +
                  " to make room for others, and " + byte_count(document_.count(entry, "bytes_moved_out")) +
                  " that only it had were moved out first.");
    }
  }

  void tell_partition() {
    const json& partition = document_.object(root_, "partition");
    const std::uint64_t count = document_.count(partition, "count");
    const double median = document_.real(partition, "p50_us");
    const double most = document_.real(partition, "max_us");
    if (count == 0) return;
    line(0, "How to divide was decided " + times(count, "time") + ", in " + number(median, "%.1f") +
                " microseconds at the median and " + number(most, "%.1f") + " at most.");
  }

  void tell_other_driver() {
    if (!root_.contains("other_cpu_driver")) return;
    const json& other = document_.object(root_, "other_cpu_driver");
    const std::uint64_t launches = document_.count(other, "launches");
    if (launches == 0) return line(0, "The CPU driver ran all of its work-groups itself.");
    line(0, "The CPU driver left " + times(launches, "launch") + " to another one:");
    for (const json& entry : document_.list(other, "kernels"))
      line(1, "kernel " + document_.text(entry, "name") + ", " + times(document_.count(entry, "launches"), "launch") +
                  ": " + document_.text(entry, "reason") + ".");
  }

  void tell_traps() {
    if (!root_.contains("traps")) return;
    const json& traps = document_.object(root_, "traps");
    const std::uint64_t count = document_.count(traps, "count");
    if (count == 0) return;
    line(0, "Kernels trapped " + times(count, "time") + ", and " +
                times(document_.count(traps, "never_ran"), "work-group") + " never ran because of it:");
    for (const json& entry : document_.list(traps, "first")) {
      std::string place = "an unknown line";
      if (entry.contains("line") && entry["line"].is_number())
        place = "line " + std::to_string(document_.count(entry, "line"));
      if (entry.contains("file")) place += " of " + document_.text(entry, "file");
      std::string item;
      for (const json& id : document_.list(entry, "item")) item += (item.empty() ? "" : ", ") + id.dump();
      line(1, "kernel " + document_.text(entry, "kernel") + ", " + place + ": " + document_.text(entry, "kind") +
                  ", work-item (" + item + ").");
    }
  }

  void tell_verification() {
    const json& verify = document_.object(root_, "verify");
    const std::uint64_t launches = document_.count(verify, "launches");
    const std::uint64_t mismatches = document_.count(verify, "mismatches");
    if (launches == 0) return line(0, "Nothing was verified; SKMD_VERIFY=1 compares every slice with a whole run.");
    if (mismatches == 0) return line(0, "Verification: " + times(launches, "launch") + " compared, no difference.");
    line(0, "Verification: " + times(launches, "launch") + " compared, and " + times(mismatches, "comparison") +
                " found other bytes than a whole run on the same device:");
    if (!verify.contains("first")) return line(1, "SKMD_LOG=error says where.");
    for (const json& entry : document_.list(verify, "first")) {
      line(1, "kernel " + document_.text(entry, "kernel") + ", argument " +
                  std::to_string(document_.count(entry, "argument")) + ", on " +
                  device(document_.count(entry, "device")) + ": " + times(document_.count(entry, "bytes"), "byte") +
                  " differ, the first at offset " + std::to_string(document_.count(entry, "offset")) + " (" +
                  document_.text(entry, "detail") + ").");
    }
    line(1,
         "Atomics on floating point and races in the program look like this too. If the kernel has neither, it is a "
         "fault of SKMD: SKMD_PARTITION=single avoids it.");
  }

  const json& root_;
  Document document_;
  std::vector<std::string> devices_;
  std::string out_;
};

}  // namespace

Result<std::string> explain_stats(const json& document) {
  if (!document.is_object()) return Error{0, "this is no statistics file of SKMD: it is not a JSON object"};
  return Teller(document).tell();
}

}  // namespace skmd::profiler
