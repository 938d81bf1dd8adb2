// SPDX-License-Identifier: Apache-2.0
#include "profiler/explain.h"

#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/client/client.h"
#include "profiler/child.h"
#include "profiler/explain_stats.h"

namespace skmd::profiler {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

int complain(const std::string& file, const std::string& why, int status) {
  std::fprintf(stderr, "skmd-info: %s: %s\n", file.c_str(), why.c_str());
  return status;
}

bool is_program(const std::string& file, const std::string& text) {
  const std::string extension = fs::path(file).extension();
  if (extension == ".cl" || extension == ".ocl" || extension == ".clc") return true;
  return text.find("kernel") != std::string::npos && text.find_first_not_of(" \t\r\n") != text.find('{');
}

int explain_program(const std::string& file, const std::vector<std::string>& options) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path helper = self.parent_path().parent_path() / "libexec" / "skmd" / "skmd-compile";
  if (error || !fs::exists(helper, error)) {
    return complain(file, "skmd-compile is not in the libexec/skmd folder beside this command's own", 1);
  }
  // As tight as in an application, so that no file keeps it busy for ever.
  const compiler::HelperLimits limits;
  const rlimit cpu{limits.cpu_seconds, limits.cpu_seconds};
  const rlimit memory{limits.memory_bytes, limits.memory_bytes};
  (void)::setrlimit(RLIMIT_CPU, &cpu);
  (void)::setrlimit(RLIMIT_AS, &memory);
  std::vector<std::string> command{helper.string(), "--explain", file};
  command.insert(command.end(), options.begin(), options.end());
  const ChildResult result = run_child(command);
  if (!result.failure.empty()) return complain(file, result.failure, 1);
  if (result.status > 128) return complain(file, "skmd-compile gave up: too much for it, or a crash", 1);
  return result.status == 0 ? 0 : 1;
}

int explain_json(const std::string& file, const std::string& text) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    return complain(
        file,
        "neither a statistics file (SKMD_STATS) nor OpenCL C: not JSON from byte " + std::to_string(error.byte) + " on",
        1);
  }
  const domain::Result<std::string> words = explain_stats(document);
  if (!words) return complain(file, words.error().reason, 1);
  std::fputs(words->c_str(), stdout);
  return 0;
}

}  // namespace

int explain(const std::string& file, const std::vector<std::string>& options) {
  std::error_code error;
  if (fs::is_directory(file, error)) return complain(file, "is a folder", 2);
  const std::ifstream stream(file, std::ios::binary);
  std::stringstream bytes;
  if (stream) bytes << stream.rdbuf();
  if (!stream) return complain(file, "cannot be read", 2);
  const std::string text = bytes.str();
  if (text.empty()) return complain(file, "is empty", 1);
  if (is_program(file, text)) return explain_program(fs::absolute(file).string(), options);
  if (!options.empty()) return complain(file, "build options are for OpenCL C", 1);
  return explain_json(file, text);
}

}  // namespace skmd::profiler
