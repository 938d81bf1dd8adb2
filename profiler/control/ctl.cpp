// SPDX-License-Identifier: Apache-2.0
// skmd-ctl: takes devices from a running program that uses SKMD, and gives them back.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiler/control/control_client.h"
#include "profiler/control/ctl_options.h"
#include "profiler/control/status_text.h"
#include "profiler/settings/control_place.h"
#include "profiler/settings/variables.h"

namespace {

using namespace skmd::profiler;
namespace settings = skmd::settings;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

int refused(const CtlOptions& options, const std::string& reason) {
  const nlohmann::json answer = {{"ok", false}, {"reason", reason}};
  if (options.as_json)
    std::printf("%s\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fprintf(stderr, "skmd-ctl: %s\n", reason.c_str());
  return kCtlNotMet;
}

/// Where the process's socket is: as for a process that is started here.
skmd::domain::Result<std::string> folder_of(const CtlOptions& options) {
  if (!options.folder.empty()) return options.folder;
  std::string value = variable(settings::kControl.name);
  if (value.empty() || value == "0") value = "1";
  const auto folder = settings::control_folder(value, variable("XDG_RUNTIME_DIR"), geteuid());
  if (!folder) return folder.error();
  return **folder;
}

int control(const CtlOptions& options) {
  const auto folder = folder_of(options);
  if (!folder) return refused(options, folder.error().reason);
  std::vector<std::string> words = options.words;
  // The process may be in another folder.
  if (words.front() == "checkpoint") words.back() = std::filesystem::absolute(words.back()).string();
  for (const std::string& word : words)
    if (word.find_first_of("\t\n") != std::string::npos)
      return refused(options, "'" + word + "' has a tab or a line's end, which requests are divided by");
  const auto line = ask(*folder, options.process, words);
  if (!line) return refused(options, line.error().reason);
  const nlohmann::json answer = nlohmann::json::parse(*line);
  if (!answer.value("ok", false)) return refused(options, text_of_refusal(answer));
  std::printf("%s", options.as_json ? (*line + "\n").c_str() : text_of_answer(options.words, answer).c_str());
  return kCtlDone;
}

}  // namespace

int main(int argc, char** argv) {
  CtlOptions options;
  try {
    if (const auto end = parse_ctl_options({argv + 1, argv + argc}, options)) {
      std::fputs(end->text.c_str(), end->status == 0 ? stdout : stderr);
      return end->status;
    }
    return control(options);
  } catch (const std::exception& error) {
    return refused(options, error.what());
  }
}
