// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/controller.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "intercept/control/device_words.h"
#include "intercept/machine/running_launches.h"
#include "intercept/memory/mover.h"
#include "intercept/observe/json_members.h"

namespace skmd::icd::control {

namespace {

void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  append_json_string(out, key);
  out += ':';
}

void append_flag(std::string& out, std::string_view key, bool value) {
  append_key(out, key);
  out += value ? "true" : "false";
}

void append_list(std::string& out, std::string_view key, const std::vector<std::string>& texts) {
  append_key(out, key);
  out += '[';
  for (const std::string& text : texts) {
    if (out.back() != '[') out += ',';
    append_json_string(out, text);
  }
  out += ']';
}

std::string opened(bool ok) { return ok ? "{\"ok\":true" : "{\"ok\":false"; }

std::string refusal(const std::string& reason) {
  std::string out = opened(false);
  append_text_member(out, "reason", reason);
  return out + "}";
}

/// skmd-ctl names the nearest of `names`.
std::string unknown(const std::string& what, const std::string& name, const std::string& reason,
                    const std::vector<std::string>& names) {
  std::string out = opened(false);
  append_text_member(out, "reason", reason);
  append_text_member(out, "what", what);
  append_text_member(out, "name", name);
  append_list(out, "names", names);
  return out + "}";
}

void append_evacuated(std::string& out, const DeviceMemory::Evacuated& done) {
  append_member(out, "objects", done.roots);
  append_member(out, "fetched_bytes", done.sole_bytes);
}

}  // namespace

std::vector<DeviceDescription> Controller::descriptions() const {
  std::vector<DeviceDescription> all;
  for (const auto& device : machine_.devices) all.push_back(device->description());
  return all;
}

std::string Controller::name_of(std::uint32_t device) const { return machine_.devices[device]->description().name; }

std::string Controller::answer(std::string_view line) {
  const auto request = parse_request(line);
  return request ? carry_out(*request) : refusal(request.error().reason);
}

std::string Controller::carry_out(const Request& request) {
  if (request.order == Order::status) return status();
  if (request.order == Order::checkpoint) return checkpoint(request.file);
  std::uint32_t device = 0;
  if (request.order == Order::stop || request.order == Order::start || request.order == Order::move) {
    const std::vector<DeviceDescription> all = descriptions();
    const NamedDevice named = find_device(all, request.device);
    if (!named.index && !named.is_unknown) return refusal(named.reason);
    if (!named.index) {
      std::vector<std::string> names;
      for (const DeviceDescription& one : all) names.insert(names.end(), {one.name, selector_of(one)});
      return unknown("device", request.device, named.reason, names);
    }
    device = *named.index;
  }
  const MutexGuard lock(mutex_);
  switch (request.order) {
    case Order::stop:
      return stop(device);
    case Order::start:
      return start(device);
    case Order::move:
      return move(request.kernel, device);
    case Order::suspend:
      return suspend();
    case Order::resume:
      return resume();
    case Order::status:
    case Order::checkpoint:
      break;
  }
  return status();
}

std::string Controller::status() const {
  const std::vector<std::uint32_t> launches = machine_.running->launches();
  std::string out = opened(true);
  append_member(out, "version", std::uint64_t{1});
  append_member(out, "pid", static_cast<std::uint64_t>(getpid()));
  append_text_member(out, "program", program_);
  append_flag(out, "suspended", is_suspended(machine_));
  append_key(out, "devices");
  out += '[';
  for (std::uint32_t i = 0; i < machine_.devices.size(); ++i) {
    const Device& device = *machine_.devices[i];
    const DeviceMemory::Usage usage = machine_.memory.usage(i);
    out += i == 0 ? "{" : ",{";
    append_text_member(out, "name", device.description().name);
    append_text_member(out, "selector", selector_of(device.description()));
    append_text_member(out, "state",
                       device.health()->aside()  ? "failed"
                       : is_stopped(machine_, i) ? "stopped"
                                                 : "open");
    append_member(out, "launches", std::uint64_t{launches[i]});
    append_member(out, "bytes", usage.bytes);
    append_member(out, "sole_bytes", usage.sole_bytes);
    out += '}';
  }
  out += ']';
  append_key(out, "kernels");
  out += '[';
  for (const RunningLaunches::Running& running : machine_.running->running()) {
    out += out.back() == '[' ? "{" : ",{";
    append_text_member(out, "name", running.kernel);
    append_key(out, "running_groups");
    out += '[';
    for (const std::uint64_t groups : running.groups) {
      if (out.back() != '[') out += ',';
      append_json(out, groups);
    }
    out += "]}";
  }
  return out + "]}";
}

void Controller::drain(std::uint32_t device) const {
  machine_.running->wait_until_off(std::uint64_t{1} << device);
  machine_.devices[device]->health()->wait_for_windows();
  BatchGroup group;
  group.submit(*machine_.devices[device], Batch{});
  (void)group.wait();  // a device that fails has nothing under way either
}

std::string Controller::stop(std::uint32_t device) {
  if (const auto programs = machine_.running->kept_on(device); !programs.empty())
    return refusal(name_of(device) +
                   " cannot be stopped: it has the program-scope variables of the program with the kernel " +
                   programs.front() + ", which exist nowhere else");
  if (Status status = machine_.running->stop(device); !status)
    return refusal(name_of(device) + " cannot be stopped: " + status.error().reason);
  drain(device);
  const auto done = machine_.memory.evacuate(device, is_suspended(machine_), [this] { machine_.running->ask_all(); });
  if (!done)
    return refusal(name_of(device) +
                   " gets no launches any more, but still has bytes that could not be fetched: " + done.error().reason);
  if (done->kept != 0)
    return refusal(name_of(device) + " gets no launches any more, but still has " + std::to_string(done->kept) +
                   " memory objects, copies of bytes in host memory, that are in use");
  if (machine_.observer != nullptr)
    machine_.observer->log(LogLevel::info, name_of(device) + " was stopped; " + std::to_string(done->sole_bytes) +
                                               " bytes that it alone had were fetched");
  std::string out = opened(true);
  append_text_member(out, "device", name_of(device));
  append_evacuated(out, *done);
  return out + "}";
}

std::string Controller::start(std::uint32_t device) {
  if (Status status = machine_.running->start(device); !status)
    return refusal(name_of(device) + " cannot be started: " + status.error().reason);
  if (machine_.observer != nullptr) machine_.observer->log(LogLevel::info, name_of(device) + " was started");
  std::string out = opened(true);
  append_text_member(out, "device", name_of(device));
  return out + "}";
}

std::string Controller::move(const std::string& kernel, std::uint32_t device) {
  if (is_stopped(machine_, device)) return refusal(name_of(device) + " is stopped");
  if (machine_.devices[device]->health()->aside()) return refusal(name_of(device) + " was set aside after a failure");
  std::vector<std::string> names;
  for (const RunningLaunches::Running& running : machine_.running->running()) names.push_back(running.kernel);
  const Moved moved = machine_.running->move(kernel, device);
  if (moved.launches == 0) return unknown("kernel", kernel, "no launch of the kernel " + kernel + " is running", names);
  if (moved.groups == 0)
    return refusal("no work-group of " + kernel + " was left that could move to " + name_of(device));
  std::string out = opened(true);
  append_text_member(out, "kernel", kernel);
  append_text_member(out, "device", name_of(device));
  append_member(out, "launches", std::uint64_t{moved.launches});
  append_member(out, "groups", moved.groups);
  return out + "}";
}

std::string Controller::checkpoint(const std::string& file) {
  if (file.empty() || file.front() != '/') return refusal(file + ": expected the absolute path of a file");
  const auto done = machine_.running->checkpoint([&](const std::string&) { return file; }, true);
  if (!done) return refusal(done.error().reason);
  std::string out = opened(true);
  append_text_member(out, "kernel", done->kernel);
  append_text_member(out, "file", done->path);
  append_member(out, "bytes", done->bytes);
  append_member(out, "seconds", done->seconds);
  return out + "}";
}

std::string Controller::suspend() {
  if (is_suspended(machine_)) return refusal("it is suspended already");
  gate_ = RangeLock::take({claim_on(machine_.memory.gate(), domain::ByteRange{0, 1}, true)});
  (void)machine_.running->suspend();
  DeviceMemory::Evacuated all;
  std::vector<std::string> open;
  for (std::uint32_t i = 0; i < machine_.devices.size(); ++i) {
    drain(i);
    const DeviceDescription& device = machine_.devices[i]->description();
    if (const auto done = machine_.memory.evacuate(i, true, [] {})) {
      all.roots += done->roots;
      all.sole_bytes += done->sole_bytes;
      if (done->kept != 0) open.push_back(device.name + ": " + std::to_string(done->kept) + " memory objects");
    } else {
      open.push_back(device.name + ": bytes that could not be fetched: " + done.error().reason);
    }
    for (const std::string& kernel : machine_.running->kept_on(i))
      open.push_back(device.name + ": program-scope variables of the program with the kernel " + kernel);
    if (machine_.devices[i]->has_native_context())
      open.push_back(device.name + ": context, queues, programs, kernels and page-locked memory of the platform " +
                     device.platform);
  }
  std::string out = opened(true);
  append_evacuated(out, all);
  append_list(out, "open", open);
  return out + "}";
}

std::string Controller::resume() {
  if (Status status = machine_.running->resume(); !status) return refusal(status.error().reason);
  gate_.reset();
  return opened(true) + "}";
}

}  // namespace skmd::icd::control
