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
  const auto path_of = [&](const std::string& kernel) { return checkpoint_file(folder, kernel, getpid()); };
  const auto done = machine.running->checkpoint(path_of, false);
  if (machine.observer == nullptr) return;
  if (done)
    return machine.observer->log(LogLevel::info, "a launch of " + done->kernel + " is in " + done->path + ": " +
                                                     std::to_string(done->bytes) + " bytes");
  const bool unwritten = done.error().code == CL_OUT_OF_RESOURCES;
  machine.observer->log(unwritten ? LogLevel::warn : LogLevel::info, "no checkpoint: " + done.error().reason);
}

// A launch runs at least as long as it stands still to be written.
void keep_all(Machine& machine, const settings::CheckpointPlace& place) {
  using Clock = std::chrono::steady_clock;
  const auto period = std::chrono::duration_cast<Clock::duration>(place.period);
  for (Clock::duration took{};;) {
    std::this_thread::sleep_for(std::max(period, took));
    const auto begin = Clock::now();
    try {
      if (machine.running->any()) keep_one(machine, place.folder);
    } catch (const std::exception&) {  // bad_alloc: perhaps the next time
    }
    took = Clock::now() - begin;
  }
}

}  // namespace

std::string checkpoint_file(const std::string& folder, const std::string& kernel, long process) {
  return folder + "/" + kernel.substr(0, tuning::kKernelInName) + "-" + std::to_string(process) + ".checkpoint";
}

domain::Status keep_checkpoints(Machine& machine, const settings::CheckpointPlace& place) {
  control_launches(machine);
  std::error_code error;
  settings::CheckpointPlace absolute = place;  // the application may go to another folder
  if (const auto path = std::filesystem::absolute(place.folder, error); !error) absolute.folder = path.string();
  std::filesystem::create_directories(absolute.folder, error);  // each checkpoint says if it is not there
  try {
    quiet_thread([absolute, &machine] { keep_all(machine, absolute); }).detach();
  } catch (const std::exception&) {
    return domain::Error{CL_OUT_OF_HOST_MEMORY, "the system gives no thread"};
  }
  return {};
}

}  // namespace skmd::icd::control
