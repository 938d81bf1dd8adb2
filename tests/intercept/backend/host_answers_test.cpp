// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/host_answers.h"

#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "intercept/backend/cpu/bare_host.h"

namespace skmd::icd {
namespace {

const cpu::HostFacts kFacts{.model = "A Processor",
                            .vendor = "Its Maker",
                            .processors = 6,
                            .megahertz = 2500,
                            .vector_bytes = 32,
                            .line_bytes = 64,
                            .cache_bytes = 1 << 24,
                            .memory_bytes = std::uint64_t{1} << 35};

template <class T>
T number(cl_device_info name, const cpu::HostFacts& facts = kFacts) {
  T value{};
  const auto answer = host_answer(facts, name);
  EXPECT_TRUE(answer) << name;
  if (!answer) return value;
  EXPECT_EQ(answer->size(), sizeof value) << name;
  std::memcpy(&value, answer->data(), std::min(sizeof value, answer->size()));
  return value;
}

std::string text(cl_device_info name) {
  const auto answer = host_answer(kFacts, name);
  EXPECT_TRUE(answer && !answer->empty() && answer->back() == std::byte{0}) << name;
  return answer ? reinterpret_cast<const char*>(answer->data()) : "";
}

// What the virtual device folds of its real devices has to have an answer of the right size.
TEST(HostAnswers, AnswerAllThatIsFolded) {
#define ANCHOR(name, type) number<type>(CL_DEVICE_##name);
#define MINIMUM(name, type) number<type>(CL_DEVICE_##name);
#define LCM(name, type) number<type>(CL_DEVICE_##name);
#define COMMON(name, type) number<type>(CL_DEVICE_##name);
#define NUMBER(name, type, value)
#define TEXT(name, value)
#define EMPTY(name)
#include "intercept/machine/device_info.def"
#undef ANCHOR
#undef MINIMUM
#undef LCM
#undef COMMON
#undef NUMBER
#undef TEXT
#undef EMPTY
  number<std::array<std::size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  number<std::size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  number<std::size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  number<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG);
  number<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
  number<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES);
}

TEST(HostAnswers, SayWhatTheFactsSay) {
  EXPECT_EQ(text(CL_DEVICE_NAME), "A Processor");
  EXPECT_EQ(text(CL_DEVICE_VENDOR), "Its Maker");
  EXPECT_EQ(number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 6u);
  EXPECT_EQ(number<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY), 2500u);
  EXPECT_EQ(number<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT), 8u);
  EXPECT_EQ(number<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE), 4u);
  EXPECT_EQ(number<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR), 32u);
  EXPECT_EQ(number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), 1u << 24);
}

TEST(HostAnswers, HaveTheImagesThatASpecificationAsks) {
  EXPECT_EQ(number<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_TRUE});
  for (const cl_device_info name : {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT})
    EXPECT_GE(number<std::size_t>(name), 16384u);
  for (const cl_device_info name : {CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                    CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE})
    EXPECT_GE(number<std::size_t>(name), 2048u);
  EXPECT_GE(number<std::size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE), 65536u);
  EXPECT_GE(number<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS), 128u);
  EXPECT_GE(number<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS), 64u);
  EXPECT_GE(number<cl_uint>(CL_DEVICE_MAX_SAMPLERS), 16u);
  EXPECT_EQ(host_image_formats().size(), 37u);
}

TEST(HostAnswers, KeepMemoryForOthersAndTheLeastThatASpecificationAsks) {
  const auto memory = number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  EXPECT_LT(memory, kFacts.memory_bytes);
  EXPECT_GE(number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), memory / 4);
  const cpu::HostFacts unknown;
  EXPECT_GE(number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, unknown), 128u << 20);
  EXPECT_GE(number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE, unknown),
            number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, unknown));
}

TEST(HostAnswers, RefuseWhatNobodyAsks) {
  const auto answer = host_answer(kFacts, CL_DEVICE_PARTITION_PROPERTIES);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, CL_INVALID_VALUE);
}

TEST(BareHost, TakesNothingAndSaysWhy) {
  BareHost host(kFacts);
  EXPECT_EQ(host.description().kind, DeviceKind::cpu);
  EXPECT_FALSE(host.description().discrete);
  std::string log;
  const auto program = host.build("kernel void k() {}", "", log);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log.find("no other CPU driver is installed"), std::string::npos);
  int ended = 0;
  Batch batch;
  batch.done = [&](BatchResult&& result) {
    ++ended;
    EXPECT_EQ(result.status, CL_INVALID_OPERATION);
    EXPECT_EQ(result.accepted, 0u);
  };
  host.help(host.submit(std::move(batch)));
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace skmd::icd
