// SPDX-License-Identifier: Apache-2.0
// Every query of OpenCL 3.0 and how the real devices' answers to it are combined, as one table.
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "intercept/machine/device_info.h"
#include "intercept/machine/device_query.h"
#include "tests/intercept/object/scripted_device.h"

namespace skmd::icd {
namespace {

using test::ScriptedDevice;

enum class Rule : std::uint8_t {
  anchor,    // the anchor's answer
  minimum,   // the least of all answers
  multiple,  // the least common multiple
  common,    // bits that all devices have
  ours,      // the same for all answers of the devices
  special,   // tested by name
};

struct Query {
  cl_device_info name;
  const char* spelled;
  std::size_t bytes;  // of the answer; 0: any
  Rule rule;
  std::uint64_t value = 0;  // of ours
};

#define Q(name, type, rule, ...) \
  { CL_DEVICE_##name, #name, sizeof(type), Rule::rule __VA_OPT__(, ) __VA_ARGS__ }
#define VARIABLE(name, rule) \
  { CL_DEVICE_##name, #name, 0, Rule::rule }

const Query kQueries[] = {
    Q(TYPE, cl_device_type, special),
    Q(VENDOR_ID, cl_uint, ours, 0x15CD0),
    VARIABLE(VENDOR, special),
    VARIABLE(NAME, special),
    VARIABLE(VERSION, special),
    VARIABLE(PROFILE, special),
    VARIABLE(OPENCL_C_VERSION, special),
    VARIABLE(OPENCL_C_ALL_VERSIONS, special),
    VARIABLE(OPENCL_C_FEATURES, special),
    VARIABLE(EXTENSIONS, special),
    VARIABLE(EXTENSIONS_WITH_VERSION, special),
    VARIABLE(LATEST_CONFORMANCE_VERSION_PASSED, special),
    VARIABLE(BUILT_IN_KERNELS, special),
    VARIABLE(BUILT_IN_KERNELS_WITH_VERSION, special),
    VARIABLE(IL_VERSION, special),
    VARIABLE(ILS_WITH_VERSION, special),
    VARIABLE(PARTITION_TYPE, special),
    Q(NUMERIC_VERSION, cl_version, ours, CL_MAKE_VERSION(3, 0, 0)),
    Q(MAX_COMPUTE_UNITS, cl_uint, anchor),
    Q(MAX_CLOCK_FREQUENCY, cl_uint, anchor),
    Q(MAX_WORK_ITEM_DIMENSIONS, cl_uint, ours, 3),
    Q(MAX_WORK_ITEM_SIZES, std::size_t[3], special),
    Q(MAX_WORK_GROUP_SIZE, std::size_t, minimum),
    Q(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, std::size_t, special),
    Q(PREFERRED_VECTOR_WIDTH_CHAR, cl_uint, anchor),
    Q(PREFERRED_VECTOR_WIDTH_SHORT, cl_uint, anchor),
    Q(PREFERRED_VECTOR_WIDTH_INT, cl_uint, anchor),
    Q(PREFERRED_VECTOR_WIDTH_LONG, cl_uint, anchor),
    Q(PREFERRED_VECTOR_WIDTH_FLOAT, cl_uint, anchor),
    Q(PREFERRED_VECTOR_WIDTH_DOUBLE, cl_uint, special),
    Q(PREFERRED_VECTOR_WIDTH_HALF, cl_uint, special),
    Q(NATIVE_VECTOR_WIDTH_CHAR, cl_uint, anchor),
    Q(NATIVE_VECTOR_WIDTH_SHORT, cl_uint, anchor),
    Q(NATIVE_VECTOR_WIDTH_INT, cl_uint, anchor),
    Q(NATIVE_VECTOR_WIDTH_LONG, cl_uint, anchor),
    Q(NATIVE_VECTOR_WIDTH_FLOAT, cl_uint, anchor),
    Q(NATIVE_VECTOR_WIDTH_DOUBLE, cl_uint, special),
    Q(NATIVE_VECTOR_WIDTH_HALF, cl_uint, special),
    Q(ADDRESS_BITS, cl_uint, ours, 64),
    Q(ENDIAN_LITTLE, cl_bool, ours, CL_TRUE),
    Q(GLOBAL_MEM_SIZE, cl_ulong, anchor),
    Q(MAX_MEM_ALLOC_SIZE, cl_ulong, anchor),
    Q(GLOBAL_MEM_CACHE_TYPE, cl_uint, anchor),
    Q(GLOBAL_MEM_CACHE_SIZE, cl_ulong, anchor),
    Q(GLOBAL_MEM_CACHELINE_SIZE, cl_uint, multiple),
    Q(LOCAL_MEM_SIZE, cl_ulong, minimum),
    Q(LOCAL_MEM_TYPE, cl_uint, anchor),
    Q(MAX_CONSTANT_BUFFER_SIZE, cl_ulong, minimum),
    Q(MAX_CONSTANT_ARGS, cl_uint, minimum),
    Q(MAX_PARAMETER_SIZE, std::size_t, special),
    Q(MEM_BASE_ADDR_ALIGN, cl_uint, special),
    Q(MIN_DATA_TYPE_ALIGN_SIZE, cl_uint, special),
    Q(SINGLE_FP_CONFIG, cl_device_fp_config, common),
    Q(DOUBLE_FP_CONFIG, cl_device_fp_config, special),
    Q(HALF_FP_CONFIG, cl_device_fp_config, special),
    Q(IMAGE_SUPPORT, cl_bool, special),
    Q(MAX_READ_IMAGE_ARGS, cl_uint, special),
    Q(MAX_WRITE_IMAGE_ARGS, cl_uint, special),
    Q(MAX_SAMPLERS, cl_uint, special),
    Q(MAX_READ_WRITE_IMAGE_ARGS, cl_uint, ours),
    Q(IMAGE2D_MAX_WIDTH, std::size_t, special),
    Q(IMAGE2D_MAX_HEIGHT, std::size_t, special),
    Q(IMAGE3D_MAX_WIDTH, std::size_t, special),
    Q(IMAGE3D_MAX_HEIGHT, std::size_t, special),
    Q(IMAGE3D_MAX_DEPTH, std::size_t, special),
    Q(IMAGE_MAX_BUFFER_SIZE, std::size_t, special),
    Q(IMAGE_MAX_ARRAY_SIZE, std::size_t, special),
    Q(IMAGE_PITCH_ALIGNMENT, cl_uint, ours),
    Q(IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint, ours),
    Q(QUEUE_ON_HOST_PROPERTIES, cl_ulong, ours, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
    Q(QUEUE_ON_DEVICE_PROPERTIES, cl_ulong, ours),
    Q(QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint, ours),
    Q(QUEUE_ON_DEVICE_MAX_SIZE, cl_uint, ours),
    Q(MAX_ON_DEVICE_QUEUES, cl_uint, ours),
    Q(MAX_ON_DEVICE_EVENTS, cl_uint, ours),
    Q(DEVICE_ENQUEUE_CAPABILITIES, cl_ulong, ours),
    Q(EXECUTION_CAPABILITIES, cl_ulong, ours, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
    Q(AVAILABLE, cl_bool, ours, CL_TRUE),
    Q(COMPILER_AVAILABLE, cl_bool, ours, CL_TRUE),
    Q(LINKER_AVAILABLE, cl_bool, ours, CL_TRUE),
    Q(ERROR_CORRECTION_SUPPORT, cl_bool, common),
    Q(HOST_UNIFIED_MEMORY, cl_bool, special),
    Q(PROFILING_TIMER_RESOLUTION, std::size_t, ours, 1),
    Q(PREFERRED_INTEROP_USER_SYNC, cl_bool, ours, CL_TRUE),
    Q(PRINTF_BUFFER_SIZE, std::size_t, minimum),
    Q(PARENT_DEVICE, cl_device_id, ours),
    Q(PARTITION_MAX_SUB_DEVICES, cl_uint, ours),
    Q(PARTITION_PROPERTIES, cl_device_partition_property, ours),
    Q(PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain, ours),
    Q(REFERENCE_COUNT, cl_uint, ours, 1),
    Q(SVM_CAPABILITIES, cl_ulong, ours),
    Q(PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint, ours),
    Q(PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint, ours),
    Q(PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint, ours),
    Q(PIPE_SUPPORT, cl_bool, ours),
    Q(MAX_PIPE_ARGS, cl_uint, ours),
    Q(PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint, ours),
    Q(PIPE_MAX_PACKET_SIZE, cl_uint, ours),
    Q(MAX_GLOBAL_VARIABLE_SIZE, std::size_t, ours),
    Q(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, std::size_t, ours),
    Q(ATOMIC_MEMORY_CAPABILITIES, cl_ulong, special),
    Q(ATOMIC_FENCE_CAPABILITIES, cl_ulong, special),
    Q(NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool, ours),
    Q(WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool, ours),
    Q(GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool, ours),
    Q(MAX_NUM_SUB_GROUPS, cl_uint, ours),
    Q(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool, ours),
};

/// An anchor and another device that answer `query` so; nothing: the driver does not know it.
DeviceInfo combine(const Query& query, std::optional<std::uint64_t> anchors, std::optional<std::uint64_t> others) {
  auto anchor = std::make_shared<ScriptedDevice>("anchor", DeviceKind::gpu);
  auto other = std::make_shared<ScriptedDevice>("other", DeviceKind::cpu);
  // The bigger memory stays the anchor's in all queries.
  anchor->answer<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_FMA);
  const auto set = [&](ScriptedDevice& device, std::optional<std::uint64_t> value) {
    if (!value)
      device.answers.erase(query.name);
    else if (query.bytes == 8)
      device.answer<std::uint64_t>(query.name, *value);
    else
      device.answer<std::uint32_t>(query.name, static_cast<std::uint32_t>(*value));
  };
  set(*anchor, anchors);
  set(*other, others);
  Machine machine;
  machine.devices = {other, anchor};
  machine.anchor = 1;
  return DeviceInfo(machine);
}

std::uint64_t answer(const DeviceInfo& info, const Query& query) {
  return query.bytes == 8 ? info.get<std::uint64_t>(query.name) : info.get<std::uint32_t>(query.name);
}

std::uint64_t expected(const Query& query, std::uint64_t anchors, std::uint64_t others) {
  switch (query.rule) {
    case Rule::anchor:
      return anchors;
    case Rule::minimum:
      return std::min(anchors, others);
    case Rule::multiple:
      return std::lcm(anchors, others);
    case Rule::common:
      return anchors & others;
    case Rule::ours:
    case Rule::special:
      break;
  }
  return query.value;
}

TEST(DeviceRules, EveryQueryIsAnsweredInItsSize) {
  const DeviceInfo info = combine(kQueries[0], CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU);
  std::set<cl_device_info> seen;
  for (const Query& query : kQueries) {
    EXPECT_TRUE(seen.insert(query.name).second) << query.spelled << " stands twice";
    const auto* bytes = info.find(query.name);
    ASSERT_NE(bytes, nullptr) << query.spelled;
    EXPECT_TRUE(query.bytes == 0 || bytes->size() == query.bytes) << query.spelled;
  }
  // The ranges of names that OpenCL 1.0 to 3.0 use, with CL_DEVICE_HALF_FP_CONFIG; what is unused is not answered.
  const std::set<cl_device_info> handles{CL_DEVICE_PLATFORM, CL_DRIVER_VERSION};
  const std::set<cl_device_info> unused{0x1034, 0x1035, 0x1056, 0x105A, 0x105D};
  for (cl_device_info name = 0x1000; name <= 0x1072; ++name) {
    if (handles.count(name) != 0 || unused.count(name) != 0) continue;
    EXPECT_EQ(seen.count(name), info.find(name) != nullptr ? 1u : 0u) << std::hex << name;
  }
}

TEST(DeviceRules, AnswersAreCombinedByTheirRule) {
  struct Pair {
    std::uint64_t anchors, others;
  };
  for (const Query& query : kQueries) {
    if (query.rule == Rule::special) continue;
    for (const Pair& pair : {Pair{12, 8}, Pair{8, 12}, Pair{6, 6}, Pair{1, 64}, Pair{64, 1}, Pair{3, 5}}) {
      const DeviceInfo info = combine(query, pair.anchors, pair.others);
      EXPECT_EQ(answer(info, query), expected(query, pair.anchors, pair.others))
          << query.spelled << " of " << pair.anchors << " and " << pair.others;
    }
  }
}

TEST(DeviceRules, AQueryThatADriverDoesNotKnowTakesNothingFromTheOthers) {
  for (const Query& query : kQueries) {
    if (query.rule == Rule::special) continue;
    const std::uint64_t without_other = answer(combine(query, 24, std::nullopt), query);
    const std::uint64_t without_any = answer(combine(query, std::nullopt, std::nullopt), query);
    switch (query.rule) {
      case Rule::anchor:
      case Rule::minimum:
      case Rule::multiple:
        EXPECT_EQ(without_other, 24u) << query.spelled;
        break;
      case Rule::common:
        EXPECT_EQ(without_other, 0u) << query.spelled << ": bits that all devices have";
        break;
      default:
        EXPECT_EQ(without_other, query.value) << query.spelled;
        EXPECT_EQ(without_any, query.value) << query.spelled;
        break;
    }
  }
}

DeviceInfo with_alignments(std::uint32_t anchors, std::uint32_t others) {
  return combine({CL_DEVICE_MEM_BASE_ADDR_ALIGN, "", 4, Rule::special}, anchors, others);
}

TEST(DeviceRules, AlignmentServesEveryDeviceAndTheLargestType) {
  const auto bits = [](std::uint32_t anchors, std::uint32_t others) {
    const DeviceInfo info = with_alignments(anchors, others);
    EXPECT_EQ(info.limits().base_align_bytes * 8, info.get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN));
    return info.get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  };
  EXPECT_EQ(bits(1024, 4096), 4096u);
  EXPECT_EQ(bits(8, 32), 1024u) << "a long16 has 128 bytes";
  EXPECT_EQ(bits(3072, 2048), 6144u);
  EXPECT_EQ(bits(0, 0), 1024u);
  EXPECT_EQ(bits(0xFFFFFFF8u, 0xFFFFFFE8u), 0xFFFFFFF8u) << "the multiple does not fit";
}

TEST(DeviceRules, WhatProgramsRankByIsNeverZero) {
  for (const cl_device_info name : {CL_DEVICE_MAX_CLOCK_FREQUENCY, CL_DEVICE_MAX_COMPUTE_UNITS}) {
    const Query query{name, "", 4, Rule::anchor};
    EXPECT_EQ(answer(combine(query, std::nullopt, 7), query), 1u);
    EXPECT_EQ(answer(combine(query, 0, 7), query), 1u);
  }
}

DeviceInfo with_sizes(std::vector<std::size_t> sizes) {
  auto odd = std::make_shared<ScriptedDevice>("odd", DeviceKind::gpu);
  auto& bytes = odd->answers[CL_DEVICE_MAX_WORK_ITEM_SIZES];
  bytes.resize(sizes.size() * sizeof sizes[0]);
  std::memcpy(bytes.data(), sizes.data(), bytes.size());
  Machine machine;
  machine.devices = {odd, std::make_shared<ScriptedDevice>("other", DeviceKind::cpu)};
  return DeviceInfo(machine);
}

TEST(DeviceRules, ADeviceOfMoreDimensionsGivesItsFirstThree) {
  using Sizes = std::array<std::size_t, 3>;
  EXPECT_EQ(with_sizes({512, 2048, 32, 16}).get<Sizes>(CL_DEVICE_MAX_WORK_ITEM_SIZES), (Sizes{512, 1024, 32}));
  EXPECT_EQ(with_sizes({512, 2048, 32}).get<Sizes>(CL_DEVICE_MAX_WORK_ITEM_SIZES), (Sizes{512, 1024, 32}));
  EXPECT_EQ(with_sizes({512}).get<Sizes>(CL_DEVICE_MAX_WORK_ITEM_SIZES), (Sizes{1, 1, 1})) << "what is not told is 1";
}

TEST(DeviceRules, WithoutImagesNoSizeOfAnImageIsTold) {
  for (const cl_bool has : {CL_TRUE, CL_FALSE}) {
    auto device = std::make_shared<ScriptedDevice>("device", DeviceKind::gpu);
    device->answer<cl_bool>(CL_DEVICE_IMAGE_SUPPORT, has);
    for (const cl_device_info name :
         {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH,
          CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
          CL_DEVICE_IMAGE_MAX_ARRAY_SIZE})
      device->answer<std::size_t>(name, 1000);
    device->answer<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS, 128).answer<cl_uint>(CL_DEVICE_MAX_SAMPLERS, 16);
    Machine machine;
    machine.devices = {device};
    const DeviceInfo info(machine);
    EXPECT_EQ(info.get<std::size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH), has == CL_TRUE ? 1000u : 0u);
    EXPECT_EQ(info.get<std::size_t>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE), has == CL_TRUE ? 1000u : 0u);
    EXPECT_EQ(info.get<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS), has == CL_TRUE ? 128u : 0u);
    EXPECT_EQ(info.get<cl_uint>(CL_DEVICE_MAX_SAMPLERS), has == CL_TRUE ? 16u : 0u);
    EXPECT_EQ(info.get<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), has);
  }
}

}  // namespace
}  // namespace skmd::icd
