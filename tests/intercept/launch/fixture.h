// SPDX-License-Identifier: Apache-2.0
// A machine of fake devices, kernels with hand-written traits, and launches through a real queue.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "intercept/object/context.h"
#include "intercept/object/launch.h"
#include "intercept/object/queue.h"
#include "partitioner/model/known_times.h"
#include "tests/intercept/launch/fake_device.h"
#include "tests/temporary_folder.h"

namespace skmd::icd::test {

/// Builds index expressions: leaves first, as traits want them.
class TraitsBuilder {
 public:
  explicit TraitsBuilder(std::string name);
  TraitsBuilder& buffer();  ///< a __global pointer parameter
  TraitsBuilder& value(std::uint32_t bytes);
  domain::NodeId constant(std::int64_t value);
  domain::NodeId global_id(std::uint8_t dim);
  domain::NodeId argument(std::uint32_t index);  ///< a by-value parameter of 8 bytes
  domain::NodeId op(domain::Op op, domain::NodeId a, domain::NodeId b);
  domain::NodeId unknown();
  /// element · index + plus bytes
  TraitsBuilder& access(domain::AccessKind kind, std::uint32_t argument, domain::NodeId index, std::uint32_t element,
                        bool sure = true);
  domain::KernelTraits take() { return std::move(traits_); }

 private:
  domain::NodeId add(domain::Node node);
  domain::KernelTraits traits_;
};

domain::KernelTraits axpy_traits();     // y[i] += a·x[i]
domain::KernelTraits scatter_traits();  // y[index[i]] = i: at places not known before the launch
domain::KernelTraits odd_traits();      // if (i is odd) y[i] = x[i] + 1: written in part
domain::KernelTraits stencil_traits();  // y[i] = x[i-1] + x[i] + x[i+1], ends clamped
std::map<std::string, Body> bodies();

/// FakeDevice::times of a device that takes so many nanoseconds for a group, behind a link of 8 GB/s.
std::vector<OpTime> times_of(const Batch& batch, std::uint64_t ns_per_group);

/// Learns from the fakes' times only, the host's clock being no part of tests: a split takes as long as its slowest
/// slice.
class FakeModel : public domain::KnownTimes {
 public:
  std::atomic<std::uint64_t> joining_ns{0};  ///< what a split takes beyond that

  void learn(const domain::Sample& sample) override {
    std::uint64_t slowest = slowest_ns_;
    while (slowest < sample.nanoseconds && !slowest_ns_.compare_exchange_weak(slowest, sample.nanoseconds)) {
    }
    KnownTimes::learn(sample);
  }
  void launched(const domain::LaunchOutcome& outcome) override {
    domain::LaunchOutcome fake = outcome;
    const std::uint64_t slowest = slowest_ns_.exchange(0);
    if (outcome.split) fake.seconds = static_cast<double>(slowest + joining_ns) * 1e-9;
    KnownTimes::launched(fake);
  }

 private:
  std::atomic<std::uint64_t> slowest_ns_{0};
};

class FakeMachine {
  // First in, last out: the executor's threads are joined before anything goes that the last context needs.
  skmd::test::TemporaryFolder folder_;
  Observer observer_;
  FakeModel model_;
  compiler::Client client_{compiler::ClientOptions{}};
  std::string program_;  // of its own: what a process knows of a program outlives the machine

 public:
  /// One device per entry; true: a memory of its own.
  explicit FakeMachine(const std::vector<bool>& discrete, const std::string& policy = "equal");
  ~FakeMachine();

  Machine machine;
  std::vector<std::shared_ptr<FakeDevice>> fakes;
  FakeModel& model = model_;
  Executor executor;
  Ref<Context> context;
  Ref<Queue> queue;

  std::shared_ptr<BuiltKernel> kernel(domain::KernelTraits traits);
  std::shared_ptr<Storage> storage(std::uint64_t bytes);
  /// Through RangeLock and residency, as the commands do.
  void write(const std::shared_ptr<Storage>& storage, std::uint64_t offset, const void* data, std::uint64_t bytes);
  void read(const std::shared_ptr<Storage>& storage, std::uint64_t offset, void* data, std::uint64_t bytes);
  /// The same of all words at once.
  std::shared_ptr<Storage> filled(const std::vector<std::uint32_t>& words);
  std::vector<std::uint32_t> contents(const std::shared_ptr<Storage>& storage);
  Ref<Event> launch(const std::shared_ptr<BuiltKernel>& kernel, const domain::NdRange& range,
                    std::vector<LaunchArgument> arguments);
};

inline BufferView whole(const std::shared_ptr<Storage>& storage) { return {storage, 0, storage->bytes()}; }
template <class T>
std::vector<std::byte> value_of(const T& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
inline domain::NdRange line(std::uint64_t items, std::uint64_t local) {
  return {1, {0, 0, 0}, {items, 1, 1}, {local, 1, 1}};
}

}  // namespace skmd::icd::test
