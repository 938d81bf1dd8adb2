// SPDX-License-Identifier: Apache-2.0
// A model of commands that wait for each other: the table of an event's states, moved by what a queue, a device and the
// commands themselves are said to do (intercept/object/event.h, command.h). One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tests/intercept/object/graph_fixture.h"

namespace skmd::icd::test {

enum class Manner {
  joins,   // starts on its device, also behind what it waits for
  alone,   // starts on its device once nothing is open that it waits for
  marker,  // does nothing
  throws,  // has no memory when it is asked to start
};

struct ModelCommand {
  Manner manner = Manner::marker;
  std::size_t device = 0;
  EventState state = EventState::unarmed;
  std::size_t open = 0;  // dependencies that have not reported their end
  bool dependency_failed = false;
  cl_int held_status = CL_COMPLETE;
  std::optional<cl_int> status;      // final
  std::optional<std::size_t> chain;  // the device behind whose queue others may be submitted
  int ends = 0;
  bool pending = false;
  std::vector<ModelCommand*> waits_for;
  std::vector<ModelCommand*> successors;
};

class ModelGraph {
 public:
  static constexpr std::size_t kDevices = 2;
  static constexpr cl_int kNoMemory = CL_OUT_OF_HOST_MEMORY;

  /// `earlier`: of an in-order queue, its newest command.
  ModelCommand& enqueue(Manner manner, std::size_t device, const std::vector<ModelCommand*>& listed,
                        ModelCommand* earlier) {
    commands_.push_back(std::make_unique<ModelCommand>());
    ModelCommand& command = *commands_.back();
    command.manner = manner;
    command.device = device;
    take(command, EventInput::arm);
    for (ModelCommand* before : listed) depend(command, *before, true);
    if (earlier != nullptr) depend(command, *earlier, false);
    proceed(command);
    work_off();
    return command;
  }
  /// The batch of a device that was submitted as the `index`-th of those that are left has ended.
  void finish(std::size_t device, std::size_t index, cl_int status) {
    ModelCommand& command = *on_device[device].at(index);
    on_device[device].erase(on_device[device].begin() + static_cast<std::ptrdiff_t>(index));
    complete(command, status);
    work_off();
  }
  [[nodiscard]] const std::vector<std::unique_ptr<ModelCommand>>& commands() const { return commands_; }

  std::vector<ModelCommand*> on_device[kDevices];

 private:
  static bool take(ModelCommand& command, EventInput input) { return kEventTransitions.apply(input, command.state); }

  static void depend(ModelCommand& command, ModelCommand& before, bool counts_if_over) {
    if (!before.status) {
      before.successors.push_back(&command);
      command.waits_for.push_back(&before);
      ++command.open;
    } else if (counts_if_over && *before.status < 0) {
      command.dependency_failed = true;
    }
  }
  void look_again(ModelCommand& command) {
    if (command.pending) return;
    command.pending = true;
    pending_.push_back(&command);
  }
  void work_off() {
    while (!pending_.empty()) {
      ModelCommand& command = *pending_.front();
      pending_.pop_front();
      command.pending = false;
      proceed(command);
    }
  }
  static std::optional<std::size_t> common_device(const ModelCommand& command) {
    std::optional<std::size_t> common;
    for (const ModelCommand* before : command.waits_for) {
      if (before->status && *before->status < 0) return std::nullopt;
      if (before->status) continue;
      if (!before->chain || (common && *common != *before->chain)) return std::nullopt;
      common = before->chain;
    }
    return common;
  }
  void proceed(ModelCommand& command) {
    if (command.open == 0 && take(command, EventInput::release)) return conclude(command, command.held_status);
    if (command.open == 0 && take(command, EventInput::begin)) {
      command.waits_for.clear();
      return command.dependency_failed ? complete(command, kDependencyFailed) : start(command, std::nullopt);
    }
    if (command.state != EventState::waiting) return;
    if (const auto behind = common_device(command)) {
      take(command, EventInput::offer);
      start(command, behind);
    }
  }
  void start(ModelCommand& command, std::optional<std::size_t> behind) {
    switch (command.manner) {
      case Manner::throws:
        return complete(command, kNoMemory);
      case Manner::marker:
        if (behind) {
          command.waits_for.clear();
          join(command, *behind);
        }
        return complete(command, CL_COMPLETE);
      case Manner::joins:
      case Manner::alone:
        if (behind && (command.manner == Manner::alone || *behind != command.device)) {
          take(command, EventInput::decline);
          return look_again(command);
        }
        on_device[command.device].push_back(&command);
        return join(command, command.device);
    }
  }
  void join(ModelCommand& command, std::size_t device) {
    command.chain = device;
    for (ModelCommand* successor : command.successors) look_again(*successor);
  }
  void complete(ModelCommand& command, cl_int status) {
    if (!take(command, command.open > 0 ? EventInput::end_early : EventInput::end)) return;
    if (command.state == EventState::held)
      command.held_status = status;
    else
      conclude(command, status);
  }
  void conclude(ModelCommand& command, cl_int status) {
    ++command.ends;
    command.status = command.dependency_failed && status == CL_COMPLETE ? kDependencyFailed : status;
    command.chain.reset();
    for (ModelCommand* successor : command.successors) {
      --successor->open;
      if (*command.status < 0) successor->dependency_failed = true;
      if (waits(successor->state) || (successor->open == 0 && successor->state == EventState::held))
        look_again(*successor);
    }
  }

  std::vector<std::unique_ptr<ModelCommand>> commands_;
  std::deque<ModelCommand*> pending_;
};

}  // namespace skmd::icd::test
