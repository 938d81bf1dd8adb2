// SPDX-License-Identifier: Apache-2.0
// What vendors' extensions add to the bits and names of creating calls: every entry of the driver's tables, every other
// bit, and the values against the vendors' headers.
#include "intercept/api/vendor_extras.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <map>

#include "tests/intercept/api/driver_fixture.h"

namespace skmd::test {
namespace {

using namespace icd::api;

/// What this test decides, apart from the driver: the hints. All else is refused.
constexpr cl_mem_flags kMemoryHints = CL_MEM_USE_PERSISTENT_MEM_AMD | CL_MEM_FORCE_HOST_MEMORY_INTEL |
                                      CL_MEM_USE_UNCACHED_CPU_MEMORY_IMG | cl_mem_flags{0xF} << 16 |
                                      cl_mem_flags{7} << 21;
constexpr cl_mem_flags kStandardAlone = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                                        CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                                        CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kWantPointer = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

template <class T, class Query>
T asked(Query&& query) {
  T value{};
  EXPECT_EQ(query(sizeof value, &value), CL_SUCCESS);
  return value;
}

class VendorExtras : public Driver {
 protected:
  /// The status; what was made goes to `check` and is released.
  template <class Check>
  static cl_int buffer(const cl_mem_properties* list, cl_mem_flags flags, Check&& check) {
    cl_int status = 1;
    cl_mem made = clCreateBufferWithProperties(context(), list, flags, 64, nullptr, &status);
    EXPECT_EQ(made != nullptr, status == CL_SUCCESS);
    if (made != nullptr) check(made);
    if (made != nullptr) clReleaseMemObject(made);
    return status;
  }
  static cl_int image(cl_mem_flags flags) {
    cl_int status = 1;
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = 4;
    cl_mem made = clCreateImage(context(), flags, &format, &desc, nullptr, &status);
    if (made != nullptr) clReleaseMemObject(made);
    return status;
  }
  static cl_int queue_with(const std::vector<cl_queue_properties>& list) {
    cl_int status = 1;
    cl_command_queue made = clCreateCommandQueueWithProperties(context(), device(), list.data(), &status);
    if (made == nullptr) return status;
    std::vector<cl_queue_properties> told(list.size() + 1);
    size_t bytes = 0;
    EXPECT_EQ(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, told.size() * sizeof told[0], told.data(), &bytes),
              CL_SUCCESS);
    told.resize(bytes / sizeof told[0]);
    EXPECT_EQ(told, list);
    clReleaseCommandQueue(made);
    return status;
  }
  static cl_int context_with(cl_context_properties name, cl_context_properties value) {
    const cl_context_properties list[] = {name, value, 0};
    cl_int status = 1;
    cl_device_id one = device();
    cl_context made = clCreateContext(list, 1, &one, nullptr, nullptr, &status);
    if (made != nullptr) clReleaseContext(made);
    return status;
  }
};

TEST_F(VendorExtras, EveryBitOfMemoryFlagsIsTakenOrRefused) {
  for (int bit = 0; bit < 64; ++bit) {
    const cl_mem_flags flag = cl_mem_flags{1} << bit;
    if ((flag & kWantPointer) != 0) continue;
    const bool taken = (flag & (kMemoryHints | kStandardAlone)) != 0;
    const auto echoed = [flag](cl_mem made) {
      const auto flags = asked<cl_mem_flags>(
          [made](size_t size, void* value) { return clGetMemObjectInfo(made, CL_MEM_FLAGS, size, value, nullptr); });
      EXPECT_EQ(flags & flag, flag);
    };
    EXPECT_EQ(buffer(nullptr, flag, echoed), taken ? CL_SUCCESS : CL_INVALID_VALUE) << bit;
    EXPECT_EQ(image(flag), taken ? CL_SUCCESS : CL_INVALID_VALUE) << bit;
  }
}

TEST_F(VendorExtras, AHintDoesNotHideWhatIsWrongBesideIt) {
  const auto nothing = [](cl_mem) {};
  EXPECT_EQ(buffer(nullptr, kMemoryHints | CL_MEM_READ_ONLY, nothing), CL_SUCCESS);
  EXPECT_EQ(buffer(nullptr, kMemoryHints | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, nothing), CL_INVALID_VALUE);
  EXPECT_EQ(buffer(nullptr, kMemoryHints | CL_MEM_PROTECTED_ALLOC_ARM, nothing), CL_INVALID_VALUE);
  const auto most = asked<cl_ulong>([](size_t size, void* value) {
    return clGetDeviceInfo(device(), CL_DEVICE_MAX_MEM_ALLOC_SIZE, size, value, nullptr);
  });
  cl_int status = 1;
  EXPECT_EQ(clCreateBuffer(context(), cl_mem_flags{1} << 23, most + 1, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
}

TEST_F(VendorExtras, ASubBufferMayHaveHintsOfItsOwn) {
  cl_mem whole = Driver::buffer(4096, CL_MEM_READ_ONLY | CL_MEM_USE_PERSISTENT_MEM_AMD);
  const cl_buffer_region region{0, 64};
  cl_int status = 1;
  cl_mem part =
      clCreateSubBuffer(whole, CL_MEM_FORCE_HOST_MEMORY_INTEL, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(asked<cl_mem_flags>([part](size_t size, void* value) {
              return clGetMemObjectInfo(part, CL_MEM_FLAGS, size, value, nullptr);
            }),
            cl_mem_flags{CL_MEM_FORCE_HOST_MEMORY_INTEL | CL_MEM_READ_ONLY});
  clReleaseMemObject(part);
}

TEST_F(VendorExtras, MemoryPropertiesThatAreHintsAreToldBackAndOthersRefused) {
  for (const VendorExtra& extra : kVendorMemoryProperties) {
    const std::vector<cl_mem_properties> list{extra.value, 1, 0};
    const auto echoed = [&](cl_mem made) {
      std::vector<cl_mem_properties> told(4);
      size_t bytes = 0;
      EXPECT_EQ(clGetMemObjectInfo(made, CL_MEM_PROPERTIES, sizeof told[0] * 4, told.data(), &bytes), CL_SUCCESS);
      told.resize(bytes / sizeof told[0]);
      EXPECT_EQ(told, list);
    };
    EXPECT_EQ(buffer(list.data(), 0, echoed), extra.hint ? CL_SUCCESS : CL_INVALID_PROPERTY) << extra.name;
    const cl_mem_properties twice[] = {extra.value, 1, extra.value, 1, 0};
    EXPECT_EQ(buffer(twice, 0, [](cl_mem) {}), CL_INVALID_PROPERTY) << extra.name;
    const cl_mem_properties beside[] = {extra.value, 1, 0x7777, 1, 0};
    EXPECT_EQ(buffer(beside, 0, [](cl_mem) {}), CL_INVALID_PROPERTY) << extra.name;
  }
}

TEST_F(VendorExtras, QueuesTakeHintsAndKeepTheirList) {
  for (const VendorExtra& extra : kVendorQueueProperties) {
    EXPECT_EQ(queue_with({extra.value, 1, 0}), extra.hint ? CL_SUCCESS : CL_INVALID_VALUE) << extra.name;
    EXPECT_EQ(queue_with({extra.value, 1, extra.value, 1, 0}), CL_INVALID_VALUE) << extra.name;
  }
  // A priority is high, medium or low.
  for (const cl_queue_properties name : {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR})
    for (cl_queue_properties value = 0; value < 10; ++value)
      EXPECT_EQ(queue_with({name, value, 0}), value == 1 || value == 2 || value == 4 ? CL_SUCCESS : CL_INVALID_VALUE)
          << name << ' ' << value;
  EXPECT_EQ(
      queue_with({CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}),
      CL_SUCCESS);
}

TEST_F(VendorExtras, EveryBitOfAQueuesPropertiesIsTakenOrRefused) {
  const std::map<int, cl_int> known{{0, CL_SUCCESS}, {1, CL_SUCCESS}, {29, CL_SUCCESS}};  // 29: Intel's promise
  for (int bit = 0; bit < 64; ++bit) {
    const cl_command_queue_properties bits = cl_command_queue_properties{1} << bit;
    const auto found = known.find(bit);
    EXPECT_EQ(queue_with({CL_QUEUE_PROPERTIES, bits, 0}), found == known.end() ? CL_INVALID_VALUE : found->second)
        << bit;
    cl_int status = 1;
    cl_command_queue old = clCreateCommandQueue(context(), device(), bits, &status);
    EXPECT_EQ(status, found == known.end() ? CL_INVALID_VALUE : found->second) << bit;
    if (old != nullptr) clReleaseCommandQueue(old);
  }
}

TEST_F(VendorExtras, ContextsTakeHints) {
  for (const VendorExtra& extra : kVendorContextProperties)
    EXPECT_EQ(context_with(static_cast<cl_context_properties>(extra.value), 1),
              extra.hint ? CL_SUCCESS : CL_INVALID_PROPERTY)
        << extra.name;
}

/// A slip in a table is no decision.
TEST(VendorExtraTables, HaveTheHeadersValuesAndNoneTwice) {
  const std::map<std::string, std::uint64_t> header = {
#define NAME(name) {#name, name}
      NAME(CL_MEM_USE_PERSISTENT_MEM_AMD),
      NAME(CL_MEM_FORCE_HOST_MEMORY_INTEL),
      NAME(CL_MEM_NO_ACCESS_INTEL),
      NAME(CL_MEM_ACCESS_FLAGS_UNRESTRICTED_INTEL),
      NAME(CL_MEM_USE_UNCACHED_CPU_MEMORY_IMG),
      NAME(CL_MEM_USE_GRALLOC_PTR_IMG),
      NAME(CL_MEM_EXT_HOST_PTR_QCOM),
      NAME(CL_MEM_PROTECTED_ALLOC_ARM),
      NAME(CL_MEM_ALLOC_FLAGS_IMG),
      NAME(CL_MEM_ALLOC_FLAGS_INTEL),
      NAME(CL_MEM_ALLOC_BUFFER_LOCATION_INTEL),
      NAME(CL_MEM_CHANNEL_INTEL),
      NAME(CL_QUEUE_NO_SYNC_OPERATIONS_INTEL),
      NAME(CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL),
      NAME(CL_QUEUE_PRIORITY_KHR),
      NAME(CL_QUEUE_THROTTLE_KHR),
      NAME(CL_QUEUE_JOB_SLOT_ARM),
      NAME(CL_QUEUE_KERNEL_BATCHING_ARM),
      NAME(CL_QUEUE_DEFERRED_FLUSH_ARM),
      NAME(CL_QUEUE_FAMILY_INTEL),
      NAME(CL_QUEUE_INDEX_INTEL),
      NAME(CL_CONTEXT_SHOW_DIAGNOSTICS_INTEL),
      NAME(CL_CONTEXT_MEMORY_INITIALIZE_KHR),
      NAME(CL_CONTEXT_TERMINATE_KHR),
      NAME(CL_CONTEXT_OFFLINE_DEVICES_AMD),
      NAME(CL_PRINTF_CALLBACK_ARM),
      NAME(CL_PRINTF_BUFFERSIZE_ARM),
#undef NAME
  };
  size_t compared = 0;
  const std::span<const VendorExtra> tables[] = {kVendorMemoryFlags, kVendorMemoryProperties, kVendorQueueBits,
                                                 kVendorQueueProperties, kVendorContextProperties};
  for (const auto table : tables)
    for (const VendorExtra& extra : table) {
      EXPECT_EQ(std::count_if(table.begin(), table.end(),
                              [&](const VendorExtra& other) { return other.value == extra.value; }),
                1)
          << extra.name;
      const auto known = header.find(extra.name);
      if (known == header.end()) continue;
      EXPECT_EQ(extra.value, known->second) << extra.name;
      ++compared;
    }
  EXPECT_EQ(compared, header.size());
}

}  // namespace
}  // namespace skmd::test
