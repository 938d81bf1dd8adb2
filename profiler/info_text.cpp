// SPDX-License-Identifier: Apache-2.0
#include "profiler/info_text.h"

#include <cmath>

namespace skmd::profiler {

namespace {

using nlohmann::json;

std::string plain(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

const json& member(const json& object, const char* key) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

void append_line(std::string& out, int depth, const std::string& key, const json& value) {
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
  out += key + ": " + plain(value) + "\n";
}

/// All members but those already shown, one a line, nested objects indented.
void append_members(std::string& out, int depth, const json& object, const std::vector<std::string>& shown) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(shown.begin(), shown.end(), key) != shown.end()) continue;
    if (value.is_object()) {
      out.append(static_cast<std::size_t>(depth) * 2, ' ');
      out += key + ":\n";
      append_members(out, depth + 1, value, {});
    } else {
      append_line(out, depth, key, value);
    }
  }
}

void append_devices(std::string& out, const json& document) {
  const json& devices = member(document, "devices");
  const json& anchor = member(document, "anchor");
  out += "real devices: " + std::to_string(devices.size()) + "\n";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    out += "  " + std::to_string(i) + "  " + plain(member(devices[i], "name"));
    if (anchor.is_number() && anchor.get<std::size_t>() == i) out += "  (anchor)";
    out += "\n";
    append_members(out, 3, devices[i], {"name"});
  }
}

void append_hosts(std::string& out, const json& hosts) {
  if (hosts.empty()) return;
  out += "other hosts:\n";
  for (const json& host : hosts) {
    const bool away = member(host, "away") == true;
    out += "  " + plain(member(host, "host")) + ": " +
           (away ? "away: " + plain(member(host, "reason")) : plain(member(host, "devices")) + " devices") + "\n";
  }
}

void append_kernels(std::string& out, const json& kernels) {
  out += "kernels: " + std::to_string(kernels.size()) + "\n";
  for (const json& kernel : kernels) {
    out += "  " + plain(member(kernel, "name"));
    for (const auto& [key, value] : kernel.items()) {
      if (key != "name") out += "  " + key + "=" + plain(value);
    }
    out += "\n";
  }
}

void append_failures(std::string& out, const json& programs) {
  for (const json& program : programs)
    for (const json& build : member(program, "builds")) {
      if (member(build, "state") != "failed") continue;
      out += "  " + plain(member(program, "program")) + "  failed on " + plain(member(build, "device")) + ": " +
             plain(member(build, "reason")) + "\n";
    }
}

void append_profile(std::string& out, const json& profile) {
  if (!profile.is_object()) return;
  const bool off = member(profile, "file").is_null();
  const json& problem = member(profile, "problem");
  out += "profile database: " + (off ? "off" : plain(member(profile, "file")));
  if (!problem.is_null()) {
    out += " (" + plain(problem) + ")\n";
    return;
  }
  out += off ? "\n" : ", " + plain(member(profile, "bytes")) + " bytes\n";
  for (const json& device : member(profile, "devices"))
    out += "  device " + plain(member(device, "name")) + ", " + plain(member(device, "platform")) + ", driver " +
           plain(member(device, "driver")) + ": " + plain(member(device, "origin")) + "\n";
  for (const json& link : member(profile, "links")) {
    const json& rate = member(link, "bytes_per_second");
    out += "  link " + plain(member(link, "direction")) + " " + plain(member(link, "device")) + ": " +
           std::to_string(std::llround(rate.is_number() ? rate.get<double>() * 1e-6 : 0.0)) + " MB/s, host " +
           plain(member(link, "host")) + "\n";
  }
}

}  // namespace

std::string info_text(const json& document, const std::string& driver) {
  std::string out = "driver: " + driver + "\n";
  const json& device = member(document, "virtual_device");
  if (device.is_object()) {
    out += "virtual device: " + plain(member(device, "name")) + "\n";
    append_members(out, 1, device, {"name"});
  }
  append_devices(out, document);
  append_hosts(out, member(document, "hosts"));
  const json& left_out = member(document, "left_out");
  if (!left_out.empty()) out += "left out:\n";
  for (const json& reason : left_out) out += "  " + plain(reason) + "\n";
  if (member(document, "settings").is_object()) {
    out += "settings:\n";
    append_members(out, 1, member(document, "settings"), {});
  }
  append_kernels(out, member(document, "kernels"));
  const json& programs = member(document, "programs");
  if (!programs.empty()) out += "programs that some device refused after their build had ended:\n";
  append_failures(out, programs);
  append_profile(out, member(document, "profile"));
  return out;
}

}  // namespace skmd::profiler
