// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/machine.h"

#include <algorithm>

namespace skmd::icd {

void watch_devices(Machine& machine) {
  for (const auto& device : machine.devices) {
    Health* health = device->health().get();
    health->watch([&machine, health, name = device->description().name](const std::string& reason) {
      const MutexGuard lock(machine.loss_mutex);
      const std::uint32_t losses = machine.losses.load(std::memory_order_relaxed);
      // Two threads may meet the same failure; set_aside() is under the mutex, so that losses tells how many there are.
      if (health->aside() || losses + 1 >= machine.devices.size()) return;
      health->set_aside();
      machine.losses.store(losses + 1, std::memory_order_release);
      if (machine.hosts_changed) machine.hosts_changed();
      if (machine.observer != nullptr) machine.observer->log(LogLevel::warn, name + " is set aside: " + reason);
    });
  }
}

std::uint32_t acting_anchor(const Machine& machine) {
  if (machine.losses.load(std::memory_order_acquire) == 0 && machine.stopped.load(std::memory_order_acquire) == 0)
    return machine.anchor;
  const auto in_use = [&](std::uint32_t device) {
    return !machine.devices[device]->health()->aside() && !is_stopped(machine, device);
  };
  if (in_use(machine.anchor)) return machine.anchor;
  std::uint32_t first = 0;
  while (first + 1 < machine.devices.size() && !in_use(first)) ++first;
  return first;
}

}  // namespace skmd::icd
