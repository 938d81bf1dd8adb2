// SPDX-License-Identifier: Apache-2.0
#include "profiler/resume/resume_options.h"

#include <CLI/CLI.hpp>

namespace skmd::profiler {

namespace {

constexpr const char* kFooter =
    "FILE was written by skmd-ctl PID checkpoint FILE or by SKMD_CHECKPOINT. It has the program of a kernel, which is\n"
    "compiled and run: resume files that you trust. FOLDER is made if it is not there; each argument that is a buffer\n"
    "gets a file, arg0.bin and so on. Devices are chosen as for any program (SKMD_DEVICES).\n"
    "Status 0: done; 1: the file cannot be used or the launch failed; 2: wrong usage.";

}  // namespace

std::optional<EarlyEnd> parse_resume_options(const std::vector<std::string>& arguments, ResumeOptions& options) {
  CLI::App app("Completes a kernel launch that was written to a file, and writes its buffers.", "skmd-resume");
  app.footer(kFooter);
  app.add_option("FILE", options.file, "the launch")->required();
  app.add_option("--out", options.folder, "where the contents of the buffers go")->required();
  app.add_flag("--json", options.as_json, "the answer as one line of JSON");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes a vector
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return EarlyEnd{kResumeDone, app.help()};
  } catch (const CLI::ParseError& error) {
    return EarlyEnd{kResumeBadUsage, std::string("skmd-resume: ") + error.what() + "\nTry skmd-resume --help.\n"};
  }
  return std::nullopt;
}

}  // namespace skmd::profiler
