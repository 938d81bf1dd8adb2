// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/launch/fixture.h"
#include "intercept/launch/make_launch.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

#include <gtest/gtest.h>

namespace skmd::icd::test {

using domain::AccessKind;
using domain::Node;
using domain::NodeId;
using domain::Op;

TraitsBuilder::TraitsBuilder(std::string name) { traits_.name = std::move(name); }

TraitsBuilder& TraitsBuilder::buffer() {
  domain::Parameter parameter;
  parameter.kind = domain::ParameterKind::global_pointer;
  parameter.size = sizeof(void*);
  traits_.parameters.push_back(parameter);
  return *this;
}

TraitsBuilder& TraitsBuilder::value(std::uint32_t bytes) {
  domain::Parameter parameter;
  parameter.size = bytes;
  traits_.parameters.push_back(parameter);
  return *this;
}

NodeId TraitsBuilder::add(Node node) {
  traits_.nodes.push_back(node);
  return static_cast<NodeId>(traits_.nodes.size() - 1);
}

NodeId TraitsBuilder::constant(std::int64_t value) {
  Node node;
  node.op = Op::constant;
  node.value = value;
  return add(node);
}

NodeId TraitsBuilder::argument(std::uint32_t index) {
  Node node;
  node.op = Op::scalar_argument;
  node.value = index;
  return add(node);
}

NodeId TraitsBuilder::global_id(std::uint8_t dim) {
  Node node;
  node.op = Op::global_id;
  node.dim = dim;
  return add(node);
}

NodeId TraitsBuilder::op(Op op, NodeId a, NodeId b) {
  Node node;
  node.op = op;
  node.a = a;
  node.b = b;
  return add(node);
}

NodeId TraitsBuilder::unknown() { return add(Node{}); }

TraitsBuilder& TraitsBuilder::access(AccessKind kind, std::uint32_t argument, NodeId index, std::uint32_t element,
                                     bool sure) {
  domain::Access access;
  access.kind = kind;
  access.argument = argument;
  access.offset = op(Op::mul, index, constant(element));
  access.width = access.element = element;
  access.guards_complete = sure;
  traits_.accesses.push_back(access);
  return *this;
}

domain::KernelTraits axpy_traits() {
  TraitsBuilder b("axpy");
  b.buffer().buffer().value(4);
  const NodeId i = b.global_id(0);
  b.access(AccessKind::read, 0, i, 4).access(AccessKind::read, 1, i, 4).access(AccessKind::write, 0, i, 4);
  domain::KernelTraits traits = b.take();
  traits.operations = {{5, {}, {}}};  // two loads, a multiplication with an addition, a store, the return
  return traits;
}

domain::KernelTraits scatter_traits() {
  TraitsBuilder b("scatter");
  b.buffer().buffer();
  const NodeId i = b.global_id(0);
  b.access(AccessKind::read, 1, i, 4).access(AccessKind::write, 0, b.unknown(), 4);
  return b.take();
}

domain::KernelTraits odd_traits() {
  TraitsBuilder b("odd");
  b.buffer().buffer();
  const NodeId i = b.global_id(0);
  b.access(AccessKind::read, 1, i, 4).access(AccessKind::write, 0, i, 4, false);
  return b.take();
}

domain::KernelTraits stencil_traits() {
  TraitsBuilder b("stencil");
  b.buffer().buffer().value(4);
  const NodeId i = b.global_id(0);
  const NodeId one = b.constant(1);
  b.access(AccessKind::read, 1, i, 4)
      .access(AccessKind::read, 1, b.op(Op::add, i, one), 4)
      .access(AccessKind::write, 0, i, 4);
  // i-1 clamped at 0; i+1 past the end is cut at the buffer's size, where the body clamps.
  b.access(AccessKind::read, 1, b.op(Op::smax, b.op(Op::sub, i, one), b.constant(0)), 4);
  return b.take();
}

std::vector<OpTime> times_of(const Batch& batch, std::uint64_t ns_per_group) {
  std::vector<OpTime> times;
  std::uint64_t now = 1;
  for (const icd::Op& op : batch.work()) {
    std::uint64_t ns = 1;
    if (const auto* write = std::get_if<WriteOp>(&op)) ns = write->rows.width * write->rows.rows / 8;
    if (const auto* run = std::get_if<RunOp>(&op)) ns = ns_per_group * run->range.group_total();
    times.push_back({now, now + ns, ns});
    now += ns;
  }
  return times;
}

std::map<std::string, Body> bodies() {
  return {
      {"axpy",
       [](const auto& a, const auto& id) {
         a[0].template as<std::uint32_t>()[id[0]] +=
             a[2].template scalar<std::uint32_t>() * a[1].template as<std::uint32_t>()[id[0]];
       }},
      {"scatter",
       [](const auto& a, const auto& id) {
         a[0].template as<std::uint32_t>()[a[1].template as<std::uint32_t>()[id[0]]] =
             static_cast<std::uint32_t>(id[0]) + 1;
       }},
      {"odd",
       [](const auto& a, const auto& id) {
         if (id[0] % 2 == 1) a[0].template as<std::uint32_t>()[id[0]] = a[1].template as<std::uint32_t>()[id[0]] + 1;
       }},
      {"stencil",
       [](const auto& a, const auto& id) {
         const std::uint64_t n = a[2].template scalar<std::uint32_t>();
         const auto* x = a[1].template as<std::uint32_t>();
         a[0].template as<std::uint32_t>()[id[0]] =
             x[id[0] == 0 ? 0 : id[0] - 1] + x[id[0]] + x[id[0] + 1 < n ? id[0] + 1 : n - 1];
       }},
  };
}

namespace {

ObserverOptions counting(const std::string& stats_file) {
  ObserverOptions options;
  options.stats_file = stats_file;
  return options;
}

}  // namespace

FakeMachine::FakeMachine(const std::vector<bool>& discrete, const std::string& policy)
    : observer_(counting(folder_.file("stats.json"))) {
  static std::atomic<int> machines{0};
  program_ = "program " + std::to_string(++machines);
  domain::SpaceId space = 1;
  for (std::size_t i = 0; i < discrete.size(); ++i) {
    fakes.push_back(std::make_shared<FakeDevice>("fake " + std::to_string(i), discrete[i], bodies()));
    fakes.back()->assign_space(discrete[i] ? space++ : domain::kHostSpace);
    machine.devices.push_back(fakes.back());
  }
  const auto parsed = domain::parse_policy(policy, discrete.size());
  EXPECT_TRUE(parsed.ok());
  machine.settings.policy = *parsed;
  machine.executor = &executor;
  machine.observer = &observer_;
  machine.model = &model_;
  machine.compiler = &client_;
  watch_devices(machine);
  context = make_object<Context>(machine, std::vector<cl_context_properties>{}, nullptr, nullptr);
  queue = make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, executor);
}

FakeMachine::~FakeMachine() { queue->finish(); }

std::shared_ptr<BuiltKernel> FakeMachine::kernel(domain::KernelTraits traits) {
  std::vector<std::shared_ptr<NativeProgram>> programs;
  for (std::size_t i = 0; i < fakes.size(); ++i) programs.push_back(std::make_shared<FakeProgram>());
  return std::make_shared<BuiltKernel>(machine, std::move(traits), false, program_, programs);
}

std::shared_ptr<Storage> FakeMachine::storage(std::uint64_t bytes) {
  auto storage = Storage::create(machine, bytes, nullptr, nullptr);
  EXPECT_TRUE(storage.ok());
  return *storage;
}

void FakeMachine::write(const std::shared_ptr<Storage>& storage, std::uint64_t offset, const void* data,
                        std::uint64_t bytes) {
  const domain::RangeSet ranges(domain::ByteRange{offset, offset + bytes});
  const RangeLock lock = RangeLock::take({claim_on(storage, ranges, true)});
  std::memcpy(*storage->host() + offset, data, bytes);
  storage->host_written(ranges);
}

void FakeMachine::read(const std::shared_ptr<Storage>& storage, std::uint64_t offset, void* data, std::uint64_t bytes) {
  const domain::RangeSet ranges(domain::ByteRange{offset, offset + bytes});
  const RangeLock lock = RangeLock::take({claim_on(storage, ranges, false)});
  ASSERT_TRUE(storage->gather(ranges, "read").ok());
  std::memcpy(data, *storage->host() + offset, bytes);
}

std::shared_ptr<Storage> FakeMachine::filled(const std::vector<std::uint32_t>& words) {
  auto made = storage(words.size() * 4);
  write(made, 0, words.data(), words.size() * 4);
  return made;
}

std::vector<std::uint32_t> FakeMachine::contents(const std::shared_ptr<Storage>& storage) {
  std::vector<std::uint32_t> words(storage->bytes() / 4);
  read(storage, 0, words.data(), words.size() * 4);
  return words;
}

Ref<Event> FakeMachine::launch(const std::shared_ptr<BuiltKernel>& kernel, const domain::NdRange& range,
                               std::vector<LaunchArgument> arguments) {
  auto command = make_launch(machine, {kernel, range, std::move(arguments)});
  EXPECT_TRUE(command.ok());
  return queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
}

}  // namespace skmd::icd::test
