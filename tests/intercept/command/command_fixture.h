// SPDX-License-Identifier: Apache-2.0
// Commands through a real queue over two fake devices with memories of their own.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "intercept/command/map.h"
#include "intercept/command/native.h"
#include "intercept/command/transfer.h"
#include "intercept/memory/mover.h"
#include "intercept/object/memory.h"
#include "intercept/object/queue.h"
#include "partitioner/base/mutex.h"
#include "tests/intercept/launch/fake_device.h"

namespace skmd::icd::test {

using Bytes = std::vector<std::uint8_t>;

class Commands : public ::testing::Test {
 protected:
  Commands() {
    for (domain::SpaceId space = 1; space <= 2; ++space) {
      devices.push_back(
          std::make_shared<FakeDevice>("fake " + std::to_string(space), true, std::map<std::string, Body>{}));
      devices.back()->assign_space(space);
      machine.devices.push_back(devices.back());
    }
    machine.executor = &executor;
    machine.observer = &observer;
    context = make_object<Context>(machine, std::vector<cl_context_properties>{}, nullptr, nullptr);
    queue = make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, executor);
  }
  ~Commands() override { queue->finish(); }

  std::shared_ptr<Storage> storage(std::uint64_t bytes) { return *Storage::create(machine, bytes, nullptr, nullptr); }
  Ref<Memory> buffer(std::uint64_t bytes, std::byte* host = nullptr) {
    return make_object<Memory>(context, cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, cl_mem_flags{CL_MEM_READ_WRITE},
                               *Storage::create(machine, bytes, host, nullptr), std::uint64_t{0}, bytes, host, nullptr,
                               std::vector<cl_mem_properties>{});
  }
  cl_int run(std::shared_ptr<Command> command) {
    return queue->enqueue(CL_COMMAND_READ_BUFFER, std::move(command), {})->wait();
  }
  static HostBox box(Bytes& bytes, std::uint64_t row = 0, std::uint64_t slice = 0) {
    return {reinterpret_cast<std::byte*>(bytes.data()), row, slice};
  }
  cl_int write(const std::shared_ptr<Storage>& to, std::uint64_t offset, Bytes bytes) {
    return run(make_write(to, RectRegion::linear(offset, bytes.size()), box(bytes)));
  }
  Bytes read(const std::shared_ptr<Storage>& from, std::uint64_t offset, std::uint64_t size) {
    Bytes bytes(size, 0xEE);
    EXPECT_EQ(run(make_read(from, RectRegion::linear(offset, size), box(bytes))), CL_COMPLETE);
    return bytes;
  }
  Bytes read(const std::shared_ptr<Storage>& from) { return read(from, 0, from->bytes()); }

  /// As a kernel on `device` would: bytes valid there and nowhere else.
  void written_on_device(const std::shared_ptr<Storage>& storage, std::uint32_t device, domain::ByteRange range,
                         std::uint8_t value) {
    auto native = *storage->native(device);
    auto* data = static_cast<FakeMemory&>(*native).data();
    for (std::uint64_t i = range.begin; i < range.end; ++i) data[i] = std::byte{value};
    const MutexGuard lock(storage->mutex());
    storage->residency().written(device + 1, range);
  }
  /// As a launch would that needs them.
  static Status upload(Storage& root, std::uint32_t device, const domain::RangeSet& ranges) {
    const MoveGuard guard({&root});
    MovePlan plan = MovePlan::make(root.machine(), {{&root, device, ranges}});
    auto ops = plan.upload_ops(device);
    if (!ops) return ops.error();
    Batch batch;
    batch.ops = std::move(*ops);
    BatchGroup group;
    group.submit(*root.machine().devices[device], std::move(batch));
    const Status status = group.wait();
    if (status) plan.commit_uploads();
    return status;
  }
  std::uint64_t gathered() { return devices[0]->counters.bytes_from + devices[1]->counters.bytes_from; }

  // The executor's threads are joined before anything goes that the last context needs.
  Observer observer{ObserverOptions{}};
  std::vector<std::shared_ptr<FakeDevice>> devices;
  Machine machine;
  Executor executor;
  Ref<Context> context;
  Ref<Queue> queue;
};

inline Bytes counting(std::size_t size, std::uint8_t first = 0) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  return bytes;
}

}  // namespace skmd::icd::test
