// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/api/driver_fixture.h"
#include "tests/intercept/api/info_checks.h"

namespace skmd::test {
namespace {

// OpenCL 3.0, table 5.
constexpr cl_device_info kCoreQueries[] = {CL_DEVICE_TYPE,
                                           CL_DEVICE_VENDOR_ID,
                                           CL_DEVICE_MAX_COMPUTE_UNITS,
                                           CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
                                           CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                           CL_DEVICE_MAX_WORK_ITEM_SIZES,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
                                           CL_DEVICE_MAX_CLOCK_FREQUENCY,
                                           CL_DEVICE_ADDRESS_BITS,
                                           CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                           CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                                           CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                                           CL_DEVICE_IMAGE2D_MAX_WIDTH,
                                           CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                                           CL_DEVICE_IMAGE3D_MAX_WIDTH,
                                           CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                           CL_DEVICE_IMAGE3D_MAX_DEPTH,
                                           CL_DEVICE_IMAGE_SUPPORT,
                                           CL_DEVICE_MAX_PARAMETER_SIZE,
                                           CL_DEVICE_MAX_SAMPLERS,
                                           CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                                           CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
                                           CL_DEVICE_SINGLE_FP_CONFIG,
                                           CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
                                           CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
                                           CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
                                           CL_DEVICE_GLOBAL_MEM_SIZE,
                                           CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
                                           CL_DEVICE_MAX_CONSTANT_ARGS,
                                           CL_DEVICE_LOCAL_MEM_TYPE,
                                           CL_DEVICE_LOCAL_MEM_SIZE,
                                           CL_DEVICE_ERROR_CORRECTION_SUPPORT,
                                           CL_DEVICE_PROFILING_TIMER_RESOLUTION,
                                           CL_DEVICE_ENDIAN_LITTLE,
                                           CL_DEVICE_AVAILABLE,
                                           CL_DEVICE_COMPILER_AVAILABLE,
                                           CL_DEVICE_EXECUTION_CAPABILITIES,
                                           CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
                                           CL_DEVICE_NAME,
                                           CL_DEVICE_VENDOR,
                                           CL_DRIVER_VERSION,
                                           CL_DEVICE_PROFILE,
                                           CL_DEVICE_VERSION,
                                           CL_DEVICE_EXTENSIONS,
                                           CL_DEVICE_PLATFORM,
                                           CL_DEVICE_DOUBLE_FP_CONFIG,
                                           CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
                                           CL_DEVICE_HOST_UNIFIED_MEMORY,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
                                           CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
                                           CL_DEVICE_OPENCL_C_VERSION,
                                           CL_DEVICE_LINKER_AVAILABLE,
                                           CL_DEVICE_BUILT_IN_KERNELS,
                                           CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
                                           CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
                                           CL_DEVICE_PARENT_DEVICE,
                                           CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                                           CL_DEVICE_PARTITION_PROPERTIES,
                                           CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
                                           CL_DEVICE_PARTITION_TYPE,
                                           CL_DEVICE_REFERENCE_COUNT,
                                           CL_DEVICE_PREFERRED_INTEROP_USER_SYNC,
                                           CL_DEVICE_PRINTF_BUFFER_SIZE,
                                           CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
                                           CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
                                           CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                                           CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
                                           CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
                                           CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
                                           CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
                                           CL_DEVICE_MAX_ON_DEVICE_QUEUES,
                                           CL_DEVICE_MAX_ON_DEVICE_EVENTS,
                                           CL_DEVICE_SVM_CAPABILITIES,
                                           CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
                                           CL_DEVICE_MAX_PIPE_ARGS,
                                           CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                                           CL_DEVICE_PIPE_MAX_PACKET_SIZE,
                                           CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
                                           CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
                                           CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT,
                                           CL_DEVICE_IL_VERSION,
                                           CL_DEVICE_MAX_NUM_SUB_GROUPS,
                                           CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                                           CL_DEVICE_NUMERIC_VERSION,
                                           CL_DEVICE_EXTENSIONS_WITH_VERSION,
                                           CL_DEVICE_ILS_WITH_VERSION,
                                           CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION,
                                           CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
                                           CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
                                           CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                                           CL_DEVICE_OPENCL_C_ALL_VERSIONS,
                                           CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                           CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
                                           CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
                                           CL_DEVICE_OPENCL_C_FEATURES,
                                           CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
                                           CL_DEVICE_PIPE_SUPPORT,
                                           CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED};

class ClGetDeviceInfo : public Driver {
 protected:
  std::vector<unsigned char> ask(cl_device_info name) {
    return check_query([name](size_t size, void* value, size_t* size_ret) {
      return clGetDeviceInfo(device(), name, size, value, size_ret);
    });
  }
};

TEST_F(ClGetDeviceInfo, EveryCoreQueryOfOpenCL30HasAnAnswer) {
  for (const cl_device_info name : kCoreQueries) {
    SCOPED_TRACE(name);
    ask(name);
  }
}

TEST_F(ClGetDeviceInfo, NamesThePlatformAndNoParent) {
  EXPECT_EQ(value_of<cl_platform_id>(ask(CL_DEVICE_PLATFORM)), platform());
  EXPECT_EQ(value_of<cl_device_id>(ask(CL_DEVICE_PARENT_DEVICE)), nullptr);
  EXPECT_EQ(value_of<cl_uint>(ask(CL_DEVICE_REFERENCE_COUNT)), 1u);
}

TEST_F(ClGetDeviceInfo, MeetsTheMinimaThatPoclMeets) {
  EXPECT_GE(value_of<cl_ulong>(ask(CL_DEVICE_LOCAL_MEM_SIZE)), 32u << 10);
  EXPECT_GE(value_of<cl_ulong>(ask(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE)), 64u << 10);
  EXPECT_GE(value_of<cl_uint>(ask(CL_DEVICE_MAX_CONSTANT_ARGS)), 8u);
  EXPECT_GE(value_of<size_t>(ask(CL_DEVICE_MAX_PARAMETER_SIZE)), 1024u);
  EXPECT_GE(value_of<cl_uint>(ask(CL_DEVICE_MEM_BASE_ADDR_ALIGN)), 1024u);
  EXPECT_GE(value_of<size_t>(ask(CL_DEVICE_PRINTF_BUFFER_SIZE)), 1u << 20);
  EXPECT_GE(value_of<size_t>(ask(CL_DEVICE_MAX_WORK_GROUP_SIZE)), 1u);
  EXPECT_NE(value_of<cl_uint>(ask(CL_DEVICE_MAX_CLOCK_FREQUENCY)), 0u);
  EXPECT_EQ(ask(CL_DEVICE_MAX_WORK_ITEM_SIZES).size(), 3 * sizeof(size_t));
}

TEST_F(ClGetDeviceInfo, ListsNoFeatureThatIsAbsent) {
  EXPECT_EQ(value_of<cl_device_svm_capabilities>(ask(CL_DEVICE_SVM_CAPABILITIES)), 0u);
  EXPECT_EQ(value_of<cl_bool>(ask(CL_DEVICE_PIPE_SUPPORT)), cl_bool{CL_FALSE});
  EXPECT_TRUE(ask(CL_DEVICE_ILS_WITH_VERSION).empty());
  EXPECT_EQ(text_of(ask(CL_DEVICE_IL_VERSION)), "");
  EXPECT_EQ(text_of(ask(CL_DEVICE_BUILT_IN_KERNELS)), "");
  EXPECT_TRUE(ask(CL_DEVICE_PARTITION_TYPE).empty());
}

TEST_F(ClGetDeviceInfo, UnknownNamesAndForeignDevicesAreRefused) {
  check_unknown([](size_t size, void* value, size_t* size_ret) {
    return clGetDeviceInfo(device(), 0x7777, size, value, size_ret);
  });
  EXPECT_EQ(clGetDeviceInfo(foreign_handle<cl_device_id>(platform()), CL_DEVICE_NAME, 0, nullptr, nullptr),
            CL_INVALID_DEVICE);
}
/// No conformance was submitted, and none is claimed (docs/known-differences.md).
TEST_F(ClGetDeviceInfo, NoConformanceTestIsClaimed) {
  const auto answer = ask(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED);
  EXPECT_EQ(std::string(answer.begin(), answer.end()), std::string("v0000-00-00-00", 15));
}

}  // namespace
}  // namespace skmd::test
