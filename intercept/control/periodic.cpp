// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/periodic.h"

#include <CL/cl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <thread>
#include <utility>

#include "intercept/backend/port/threads.h"
#include "intercept/control/control_constants.h"
#include "intercept/control/running.h"
#include "intercept/machine/running_launches.h"

namespace skmd::icd::control {

namespace {

void keep_one(Machine& machine, const std::string& folder) {
  const auto done =
      machine.running->checkpoint([&](const std::string& kernel) { return checkpoint_file(folder, kernel, getpid()); });
  if (machine.observer == nullptr) return;
  if (done)
    return machine.observer->log(LogLevel::info, "a launch of " + done->kernel + " is in " + done->path + ": " +
                                                     std::to_string(done->bytes) + " bytes");
  const bool unwritten = done.error().code == CL_OUT_OF_RESOURCES;
  machine.observer->log(unwritten ? LogLevel::warn : LogLevel::info, "no checkpoint: " + done.error().reason);
}

void keep_all(Machine& machine, const settings::CheckpointPlace& place) {
  const auto period = std::chrono::duration_cast<std::chrono::steady_clock::duration>(place.period);
  auto next = std::chrono::steady_clock::now();
  for (;;) {
    next = std::max(next + period, std::chrono::steady_clock::now());
    std::this_thread::sleep_until(next);
    try {
      if (machine.running->any()) keep_one(machine, place.folder);
    } catch (const std::exception&) {  // bad_alloc: perhaps the next time
    }
  }
}

}  // namespace

std::string checkpoint_file(const std::string& folder, const std::string& kernel, long process) {
  return folder + "/" + kernel.substr(0, tuning::kKernelInName) + "-" + std::to_string(process) + ".checkpoint";
}

domain::Status keep_checkpoints(Machine& machine, const settings::CheckpointPlace& place) {
  const bool first = machine.running == nullptr;
  control_launches(machine);
  std::error_code error;
  settings::CheckpointPlace absolute = place;  // the application may go to another folder
  if (const auto path = std::filesystem::absolute(place.folder, error); !error) absolute.folder = path.string();
  std::filesystem::create_directories(absolute.folder, error);  // each checkpoint says if it is not there
  try {
    quiet_thread([absolute, &machine] { keep_all(machine, absolute); }).detach();
  } catch (const std::exception&) {
    if (first) machine.running = nullptr;
    return domain::Error{CL_OUT_OF_HOST_MEMORY, "the system gives no thread"};
  }
  return {};
}

}  // namespace skmd::icd::control
