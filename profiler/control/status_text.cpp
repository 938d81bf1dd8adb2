// SPDX-License-Identifier: Apache-2.0
#include "profiler/control/status_text.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "profiler/nearest.h"

namespace skmd::profiler {

namespace {

using nlohmann::json;

std::string number(const json& object, const char* key) { return std::to_string(object.value(key, std::uint64_t{0})); }

std::string status_text(const json& answer) {
  std::string text = answer.value("program", std::string()) + ", process " + number(answer, "pid") +
                     (answer.value("suspended", false) ? ", suspended" : "") + "\n";
  std::size_t index = 0;
  for (const json& device : answer.value("devices", json::array()))
    text += "  device " + std::to_string(index++) + ": " + device.value("name", std::string()) + " (" +
            device.value("selector", std::string()) + "): " + device.value("state", std::string()) + ", " +
            number(device, "launches") + " launches, " + number(device, "bytes") + " bytes, " +
            number(device, "sole_bytes") + " of them nowhere else\n";
  for (const json& kernel : answer.value("kernels", json::array())) {
    text += "  kernel " + kernel.value("name", std::string()) + ": groups under way";
    std::size_t device = 0;
    for (const json& groups : kernel.value("running_groups", json::array()))
      text += (device == 0 ? " " : ", ") + std::to_string(groups.get<std::uint64_t>()) + " on device " +
              std::to_string(device),
          ++device;
    text += "\n";
  }
  return text;
}

}  // namespace

std::string text_of_answer(const std::vector<std::string>& words, const json& answer) {
  const std::string& command = words.front();
  const std::string device = answer.value("device", std::string());
  if (command == "status") return status_text(answer);
  if (command == "stop")
    return device + " is stopped: " + number(answer, "fetched_bytes") + " bytes were fetched that it alone had, and " +
           number(answer, "objects") + " memory objects were released\n";
  if (command == "start") return device + " is started\n";
  if (command == "move")
    return number(answer, "groups") + " groups of " + answer.value("kernel", std::string()) + " moved to " + device +
           "\n";
  if (command == "resume") return "resumed\n";
  if (command == "checkpoint")
    return "a launch of " + answer.value("kernel", std::string()) + " is in " + answer.value("file", std::string()) +
           ": " + number(answer, "bytes") + " bytes\n";
  std::string text = "suspended: " + number(answer, "fetched_bytes") +
                     " bytes were fetched that only devices had, and " + number(answer, "objects") +
                     " memory objects were released\n";
  for (const json& open : answer.value("open", json::array()))
    text += "  still open: " + open.get<std::string>() + "\n";
  return text;
}

std::string text_of_refusal(const json& answer) {
  const std::string reason = answer.value("reason", std::string("no reason was given"));
  if (!answer.contains("names")) return reason;
  std::vector<std::string> names;
  for (const json& name : answer["names"]) names.push_back(name.get<std::string>());
  const std::string what = answer.value("what", std::string());
  const std::string near = nearest(answer.value("name", std::string()), names);
  if (what == "kernel") return near.empty() ? reason : reason + ": is \"" + near + "\" meant?";
  return unknown(what, answer.value("name", std::string()), names);
}

}  // namespace skmd::profiler
