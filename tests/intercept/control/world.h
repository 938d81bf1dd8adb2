// SPDX-License-Identifier: Apache-2.0
// A machine of fake devices whose launches can be controlled while they run.
#pragma once

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "intercept/control/controller.h"
#include "intercept/machine/running_launches.h"
#include "intercept/memory/storage.h"
#include "tests/intercept/launch/fixture.h"
#include "tests/intercept/launch/words.h"

namespace skmd::icd::test {

struct ControlledWorld : FakeMachine {
  explicit ControlledWorld(const std::vector<bool>& discrete, const std::string& policy = "single:0",
                           StopForm form = StopForm::group)
      : FakeMachine(discrete, policy), running(machine), controller(machine, "program") {
    machine.running = &running;
    machine.settings.preempt.mode = PreemptMode::automatic;
    for (const auto& fake : fakes) {
      fake->set_stops(form);
      fake->answers[CL_DEVICE_MAX_COMPUTE_UNITS] = 1;
    }
    x = filled(ramp(0));
    y = filled(ramp(5000));
    add = kernel(axpy_traits());
  }
  std::string ask(const std::string& line) { return controller.answer(line); }
  /// When a device has run `at` groups, on another thread, while the device waits until launches were asked to give
  /// way.
  std::future<std::string> ask_at(std::uint32_t device, std::uint64_t at, const std::string& line) {
    auto promise = std::make_shared<std::promise<std::string>>();
    FakeDevice& fake = *fakes[device];
    fake.on_group = [this, &fake, at, line, promise] {
      if (fake.counters.groups != at) return;
      askers.emplace_back([this, line, promise] { promise->set_value(ask(line)); });
      while (running.being_asked() == 0) std::this_thread::yield();
    };
    return promise->get_future();
  }
  ~ControlledWorld() {
    for (std::thread& asker : askers) asker.join();
  }
  ControlledWorld(const ControlledWorld&) = delete;
  ControlledWorld& operator=(const ControlledWorld&) = delete;

  Ref<Event> axpy() { return launch(add, line(kItems, 64), {whole(y), whole(x), value_of(2u)}); }
  [[nodiscard]] std::uint64_t groups(std::uint32_t device) const { return fakes[device]->counters.groups; }

  RunningLaunches running;
  control::Controller controller;
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> add;
  std::vector<std::thread> askers;
};

inline bool is_ok(const std::string& answer) { return answer.find("\"ok\":true") != std::string::npos; }
inline bool has(const std::string& answer, const std::string& text) { return answer.find(text) != std::string::npos; }

}  // namespace skmd::icd::test
