// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/device_info.h"
#include "intercept/machine/expectation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "intercept/machine/device_name.h"
#include "tests/intercept/object/scripted_device.h"

namespace skmd::icd {
namespace {

using test::ScriptedDevice;

std::shared_ptr<ScriptedDevice> gpu() {
  auto device = std::make_shared<ScriptedDevice>("NVIDIA H200", DeviceKind::gpu);
  device->answer<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_FMA | CL_FP_DENORM | CL_FP_ROUND_TO_ZERO);
  device->answer_text(CL_DEVICE_EXTENSIONS, "cl_khr_fp64 cl_khr_int64_base_atomics cl_nv_tricks");
  device->answer<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4096);
  return device;
}

std::shared_ptr<ScriptedDevice> cpu() {
  auto device = std::make_shared<ScriptedDevice>("pthread-AMD EPYC 9654", DeviceKind::cpu);
  device->answer<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG, CL_FP_FMA | CL_FP_DENORM);
  device->answer_text(CL_DEVICE_EXTENSIONS, "cl_khr_fp64 cl_khr_int64_base_atomics");
  device->answer<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 4096).answer<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 1 << 20);
  device->answer(CL_DEVICE_MAX_WORK_ITEM_SIZES, std::array<size_t, 3>{4096, 512, 4096});
  device->answer<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE, 1024).answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 96);
  device->answer<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong{100} << 30);
  device->described.discrete = false;
  return device;
}

DeviceInfo compose(std::vector<std::shared_ptr<Device>> devices);

std::vector<cl_device_partition_property> schemes(const DeviceInfo& info) {
  const auto& bytes = *info.find(CL_DEVICE_PARTITION_PROPERTIES);
  std::vector<cl_device_partition_property> values(bytes.size() / sizeof(cl_device_partition_property));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(DeviceInfo, SharedVirtualMemoryNeedsADeviceInTheHosts) {
  const auto capabilities = [](std::vector<std::shared_ptr<Device>> devices) {
    return compose(std::move(devices)).get<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES);
  };
  EXPECT_EQ(capabilities({gpu(), cpu()}), cl_device_svm_capabilities{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER});
  EXPECT_EQ(capabilities({cpu()}), cl_device_svm_capabilities{CL_DEVICE_SVM_COARSE_GRAIN_BUFFER});
  EXPECT_EQ(capabilities({gpu()}), 0u);
  auto copies = cpu();
  copies->described.discrete = true;
  EXPECT_EQ(capabilities({copies, gpu()}), 0u);
}

TEST(DeviceInfo, SubDevicesNeedAnAnchorWhoseUnitsAreThreadsOfOurs) {
  auto ours = cpu();
  ours->described.partitionable = true;
  const DeviceInfo alone = compose({ours});
  EXPECT_TRUE(alone.limits().sub_devices);
  EXPECT_EQ(alone.get<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 96u);
  EXPECT_EQ(schemes(alone),
            (std::vector<cl_device_partition_property>{CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS}));
  for (const DeviceInfo& info : {compose({gpu(), ours}), compose({cpu()})}) {
    EXPECT_FALSE(info.limits().sub_devices);
    EXPECT_EQ(info.get<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0u);
    EXPECT_EQ(schemes(info), std::vector<cl_device_partition_property>{0});
  }
  ours->answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 1);
  EXPECT_FALSE(compose({ours}).limits().sub_devices) << "one unit is no two parts";
}

DeviceInfo compose(std::vector<std::shared_ptr<Device>> devices) {
  Machine machine;
  machine.devices = std::move(devices);
  machine.anchor = choose_anchor(machine.devices);
  return DeviceInfo(machine);
}

std::string text(const DeviceInfo& info, cl_device_info name) {
  return reinterpret_cast<const char*>(info.find(name)->data());
}

TEST(Expectation, GpuIsStrongerThanManyCoresAndCompilesEarlier) {
  auto small_gpu = gpu();
  small_gpu->answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 24).answer<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY, 1100);
  auto cores = cpu();
  cores->answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 16).answer<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY, 4000);
  const domain::DeviceModel expected = expected_of(*small_gpu);
  EXPECT_GT(expected.strength, expected_of(*cores).strength);
  EXPECT_LT(expected.first_use_seconds, expected_of(*cores).first_use_seconds);
  EXPECT_EQ(expected.units, 24u);
  EXPECT_FALSE(expected.measured);
}

TEST(Expectation, GpusOfOneMakeAreAlike) {
  auto other = gpu();
  other->answer<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 3);
  EXPECT_NE(expected_of(*gpu()).likeness, 0u);
  EXPECT_EQ(expected_of(*gpu()).likeness, expected_of(*gpu()).likeness);
  EXPECT_NE(expected_of(*gpu()).likeness, expected_of(*other).likeness);
  EXPECT_EQ(expected_of(*cpu()).likeness, 0u) << "two of a driver's may be the same cores";
}

TEST(Expectation, SilentDriverIsOneUnitOfSomeClock) {
  auto silent = gpu();
  silent->answers.erase(CL_DEVICE_MAX_COMPUTE_UNITS);
  silent->answers.erase(CL_DEVICE_MAX_CLOCK_FREQUENCY);
  EXPECT_EQ(expected_of(*silent).units, 1u);
  EXPECT_GT(expected_of(*silent).strength, 0);
}

TEST(Anchor, PrefersTheGpuAmongEquals) { EXPECT_EQ(choose_anchor({cpu(), gpu()}), 1u); }

TEST(Anchor, IsOfThisMachineIfAnyDeviceIs) {
  auto far = gpu();
  far->described.host = "b:1";
  EXPECT_EQ(choose_anchor({far, cpu()}), 1u);
  EXPECT_EQ(choose_anchor({cpu(), far}), 0u);
  EXPECT_EQ(choose_anchor({far}), 0u);
}

TEST(Anchor, DoublesCountMoreThanBeingAGpu) {
  auto plain = gpu();
  plain->answers.erase(CL_DEVICE_DOUBLE_FP_CONFIG);
  EXPECT_EQ(choose_anchor({plain, cpu()}), 1u);
}

TEST(Anchor, ImagesThatMeetAllMinimaCountMost) {
  auto with_images = cpu();
  with_images->answer<cl_bool>(CL_DEVICE_IMAGE_SUPPORT, CL_TRUE);
  for (const auto name : {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT})
    with_images->answer<size_t>(name, 16384);
  for (const auto name : {CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH,
                          CL_DEVICE_IMAGE_MAX_ARRAY_SIZE})
    with_images->answer<size_t>(name, 2048);
  with_images->answer<size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536);
  with_images->answer<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS, 128).answer<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64);
  with_images->answer<cl_uint>(CL_DEVICE_MAX_SAMPLERS, 16);
  EXPECT_EQ(choose_anchor({gpu(), with_images}), 1u);
  with_images->answer<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH, 8192);
  auto gpu_images = gpu();
  gpu_images->answer<cl_bool>(CL_DEVICE_IMAGE_SUPPORT, CL_TRUE);
  for (cl_device_info name = CL_DEVICE_IMAGE2D_MAX_WIDTH; name <= CL_DEVICE_IMAGE3D_MAX_DEPTH; ++name)
    gpu_images->answer<size_t>(name, 1024);
  EXPECT_EQ(choose_anchor({with_images, gpu_images}), 1u) << "where no device meets the minima, the other ranks decide";
}

TEST(Unfit, NamesWhatIsMissing) {
  EXPECT_EQ(unfit(*gpu()), "");
  EXPECT_EQ(unfit(gpu()->answer<cl_uint>(CL_DEVICE_ADDRESS_BITS, 32)), "addresses of 32 bits, not 64");
  EXPECT_EQ(unfit(gpu()->answer<cl_bool>(CL_DEVICE_ENDIAN_LITTLE, CL_FALSE)), "not little endian");
  EXPECT_EQ(unfit(gpu()->answer<cl_bool>(CL_DEVICE_AVAILABLE, CL_FALSE)), "not available");
  EXPECT_EQ(unfit(gpu()->answer<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE, CL_FALSE)), "no compiler");
  EXPECT_EQ(unfit(gpu()->answer_text(CL_DEVICE_PROFILE, "EMBEDDED_PROFILE")),
            "profile \"EMBEDDED_PROFILE\", not FULL_PROFILE");
}

TEST(DeviceInfo, WhatProgramsSizeThemselvesByIsTheMinimum) {
  const DeviceInfo info = compose({gpu(), cpu()});
  EXPECT_EQ(info.get<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1024u);
  EXPECT_EQ(info.get<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE), 48u << 10);
  EXPECT_EQ((info.get<std::array<size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES)), (std::array<size_t, 3>{1024, 512, 64}));
}

TEST(DeviceInfo, AmountsAreTheAnchorsAndNeverASum) {
  const DeviceInfo info = compose({gpu(), cpu()});
  EXPECT_EQ(info.get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS), 8u);
  EXPECT_EQ(info.get<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE), cl_ulong{2} << 30);
  EXPECT_EQ(info.limits().max_alloc_bytes, std::uint64_t{2} << 30);
}

TEST(DeviceInfo, AlignmentIsTheLeastCommonMultipleInBits) {
  const DeviceInfo info = compose({gpu(), cpu()});
  EXPECT_EQ(info.get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), 4096u);
  EXPECT_EQ(info.limits().base_align_bytes, 512u);
}

TEST(DeviceInfo, FloatingPointBitsAreThoseOfAllDevices) {
  const DeviceInfo info = compose({gpu(), cpu()});
  EXPECT_EQ(info.get<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG), cl_device_fp_config{CL_FP_FMA | CL_FP_DENORM});
  EXPECT_NE(info.get<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE), 0u);
  EXPECT_EQ(info.get<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF), 0u);
}

TEST(DeviceInfo, ADeviceWithoutDoublesDoesNotTakeThemFromTheAnchor) {
  auto weak = cpu();
  weak->answers.erase(CL_DEVICE_DOUBLE_FP_CONFIG);
  const DeviceInfo info = compose({gpu(), weak});
  EXPECT_NE(info.get<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG), 0u);
  EXPECT_TRUE(info.language().fp64);
}

TEST(DeviceInfo, ParametersLeaveRoomForTheHiddenRecordButKeepTheMinimum) {
  EXPECT_EQ(compose({gpu()}).get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 4352 - sizeof(compiler::HiddenRecord));
  EXPECT_EQ(compose({gpu(), cpu()}).get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE), 1024u);
}

TEST(DeviceInfo, ExtensionsAreNeutralAndTheSameEverywhere) {
  const DeviceInfo info = compose({gpu(), cpu()});
  const std::string list = " " + info.extensions() + " ";
  for (const char* name :
       {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics",
        "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics", "cl_khr_fp64",
        "cl_khr_int64_base_atomics", "cl_khr_icd"})
    EXPECT_NE(list.find(std::string(" ") + name + " "), std::string::npos) << name;
  EXPECT_EQ(list.find("cl_nv"), std::string::npos);
  EXPECT_EQ(text(info, CL_DEVICE_EXTENSIONS), info.extensions());
  std::string versioned;
  for (const cl_name_version& entry : info.extension_versions())
    versioned += (versioned.empty() ? "" : " ") + std::string(entry.name);
  EXPECT_EQ(versioned, info.extensions());
}

TEST(DeviceInfo, AnExtensionThatOneDeviceLacksIsAbsent) {
  auto other = cpu();
  other->answer_text(CL_DEVICE_EXTENSIONS, "cl_khr_fp64");
  EXPECT_EQ(compose({gpu(), other}).extensions().find("int64_base"), std::string::npos);
}

TEST(DeviceInfo, FeaturesAreThoseOfTheLanguage) {
  const DeviceInfo info = compose({gpu(), cpu()});
  const auto* bytes = info.find(CL_DEVICE_OPENCL_C_FEATURES);
  ASSERT_NE(bytes, nullptr);
  std::vector<cl_name_version> list(bytes->size() / sizeof(cl_name_version));
  std::memcpy(list.data(), bytes->data(), bytes->size());
  std::vector<std::string> names;
  for (const auto& entry : list) names.emplace_back(entry.name);
  EXPECT_EQ(names, info.language().features);
  EXPECT_NE(std::find(names.begin(), names.end(), "__opencl_c_int64"), names.end());
  EXPECT_EQ(std::find(names.begin(), names.end(), "__opencl_c_images"), names.end());
}

TEST(DeviceInfo, MemoryIsUnifiedOnlyIfEveryDeviceUsesTheHosts) {
  EXPECT_EQ(compose({gpu(), cpu()}).get<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY), cl_bool{CL_FALSE});
  EXPECT_EQ(compose({cpu(), cpu()}).get<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY), cl_bool{CL_TRUE});
}

TEST(DeviceInfo, OwnIdentityIsNeutral) {
  const DeviceInfo info = compose({gpu(), cpu()});
  EXPECT_EQ(text(info, CL_DEVICE_VENDOR), "SKMD");
  for (const cl_uint known : {0x10DEu, 0x1002u, 0x8086u}) EXPECT_NE(info.get<cl_uint>(CL_DEVICE_VENDOR_ID), known);
  EXPECT_EQ(text(info, CL_DEVICE_VERSION).rfind("OpenCL 3.0 SKMD", 0), 0u);
  EXPECT_EQ(text(info, CL_DEVICE_OPENCL_C_VERSION).rfind("OpenCL C 1.2 ", 0), 0u);
}

TEST(DeviceInfo, UnknownNamesHaveNoAnswer) { EXPECT_EQ(compose({cpu()}).find(0x7777), nullptr); }

TEST(DeviceName, TellsThePartsInFileNameCharacters) {
  const std::string name = device_name({gpu(), gpu(), cpu()});
  EXPECT_EQ(name.rfind("SKMD (2x NVIDIA H200 + AMD EPYC 9654) ", 0), 0u) << name;
  EXPECT_EQ(name.find_first_of("/\\:*?\"<>|"), std::string::npos);
}

TEST(DeviceName, IsStableForACompositionAndDiffersBetweenThem) {
  EXPECT_EQ(device_name({gpu(), cpu()}), device_name({gpu(), cpu()}));
  auto other = cpu();
  other->described.discrete = true;
  EXPECT_NE(device_name({gpu(), cpu()}), device_name({gpu(), other}));
  EXPECT_NE(device_name({gpu(), cpu()}), device_name({cpu(), gpu()}));
}

TEST(DriversHash, ChangesWithARealDriversVersion) {
  auto updated = gpu();
  updated->answer_text(CL_DRIVER_VERSION, "1.1");
  EXPECT_NE(drivers_hash({gpu(), cpu()}), drivers_hash({updated, cpu()}));
  EXPECT_EQ(drivers_hash({gpu(), cpu()}), drivers_hash({gpu(), cpu()}));
}

}  // namespace
}  // namespace skmd::icd
