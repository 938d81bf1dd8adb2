// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/device_info.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "intercept/machine/device_name.h"
#include "intercept/machine/device_query.h"

namespace skmd::icd {
namespace {

/// Our hidden record travels by value behind the application's arguments.
constexpr size_t kHiddenBytes = sizeof(compiler::HiddenRecord);
constexpr size_t kLeastParameterBytes = 1024;
constexpr cl_uint kLargestTypeBytes = 128;

cl_name_version named(const std::string& name, cl_version version) {
  cl_name_version entry{};
  entry.version = version;
  name.copy(entry.name, sizeof entry.name - 1);
  return entry;
}

/// Of a device with more dimensions than three, the first three.
std::array<size_t, 3> work_item_sizes(const Device& device) {
  std::array<size_t, 3> sizes{1, 1, 1};
  const auto answer = device.info(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  if (answer && answer->size() >= sizeof sizes) std::memcpy(sizes.data(), answer->data(), sizeof sizes);
  return sizes;
}

}  // namespace

class InfoComposer {
 public:
  InfoComposer(const Machine& machine, DeviceInfo& out)
      : machine_(machine), out_(out), anchor_(*machine.devices[machine.anchor]) {}

  void compose() {
    table();
    numbers();
    floating_point();
    images();
    atomics();
    identity();
    extensions();
    features();
    partition();
    limits();
  }

 private:
  void set(cl_device_info name, const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    out_.answers_[name].assign(begin, begin + size);
  }
  template <class T>
  void number(cl_device_info name, T value) {
    set(name, &value, sizeof value);
  }
  void text(cl_device_info name, const std::string& text) { set(name, text.c_str(), text.size() + 1); }

  template <class T>
  T anchored(cl_device_info name) const {
    return query<T>(anchor_, name).value_or(T{});
  }

  /// Folds the answers of the devices that know the query; `none` if no device does.
  template <class T, class Fold>
  T fold(cl_device_info name, T none, Fold&& combine) const {
    std::optional<T> value;
    for (const auto& device : machine_.devices) {
      const auto answer = query<T>(*device, name);
      if (answer) value = value ? combine(*value, *answer) : *answer;
    }
    return value.value_or(none);
  }
  template <class T>
  T minimum(cl_device_info name) const {
    return fold(name, T{}, [](T a, T b) { return std::min(a, b); });
  }
  /// 0 is "no wish" and takes no part. Multiples that do not fit: the larger one, which satisfies its device at least.
  template <class T>
  static T least_common(T a, T b) {
    if (a == 0 || b == 0) return std::max(a, b);
    T multiple{};
    return __builtin_mul_overflow(a / std::gcd(a, b), b, &multiple) ? std::max(a, b) : multiple;
  }
  template <class T>
  T lcm(cl_device_info name) const {
    return fold(name, T{}, least_common<T>);
  }
  template <class T>
  T common(cl_device_info name) const {
    for (const auto& device : machine_.devices)
      if (!query<T>(*device, name)) return T{};
    return fold(name, T{}, [](T a, T b) { return static_cast<T>(a & b); });
  }
  template <class Test>
  bool all(Test&& test) const {
    return std::all_of(machine_.devices.begin(), machine_.devices.end(), test);
  }

  void table();
  void numbers();
  void floating_point();
  void images();
  void atomics();
  void identity();
  void extensions();
  void features();
  void partition();
  void limits();

  const Machine& machine_;
  DeviceInfo& out_;
  const Device& anchor_;
};

void InfoComposer::table() {
#define ANCHOR(name, type) number<type>(CL_DEVICE_##name, anchored<type>(CL_DEVICE_##name));
#define MINIMUM(name, type) number<type>(CL_DEVICE_##name, minimum<type>(CL_DEVICE_##name));
#define LCM(name, type) number<type>(CL_DEVICE_##name, lcm<type>(CL_DEVICE_##name));
#define COMMON(name, type) number<type>(CL_DEVICE_##name, common<type>(CL_DEVICE_##name));
#define NUMBER(name, type, value) number<type>(CL_DEVICE_##name, value);
#define TEXT(name, value) text(CL_DEVICE_##name, value);
#define EMPTY(name) set(CL_DEVICE_##name, nullptr, 0);
#include "intercept/machine/device_info.def"
#undef ANCHOR
#undef MINIMUM
#undef LCM
#undef COMMON
#undef NUMBER
#undef TEXT
#undef EMPTY
}

void InfoComposer::numbers() {
  std::array<size_t, 3> sizes{};
  sizes.fill(std::numeric_limits<size_t>::max());
  for (const auto& device : machine_.devices) {
    const auto other = work_item_sizes(*device);
    for (size_t d = 0; d < 3; ++d) sizes[d] = std::min(sizes[d], other[d]);
  }
  number(CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes);

  // Not a sum: persistent kernels launch this many groups and spin on each other. Programs rank by units × MHz, so
  // neither is 0.
  for (const cl_device_info name : {CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_CLOCK_FREQUENCY})
    number<cl_uint>(name, std::max<cl_uint>(anchored<cl_uint>(name), 1));
  // In bits and in bytes: the largest type of the language is a long16.
  number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN,
                  least_common<cl_uint>(lcm<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN), kLargestTypeBytes * 8));
  number<cl_uint>(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
                  least_common<cl_uint>(lcm<cl_uint>(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE), kLargestTypeBytes));

  const auto group = minimum<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const auto multiple = lcm<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
  number<size_t>(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                 std::clamp<size_t>(multiple, 1, std::max<size_t>(group, 1)));

  const auto parameters = minimum<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  number<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE,
                 std::max(parameters > kHiddenBytes ? parameters - kHiddenBytes : 0, kLeastParameterBytes));

  const bool unified = all([](const auto& device) { return !device->description().discrete; });
  number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY, unified ? CL_TRUE : CL_FALSE);
  // A program may keep pointers in its memory: a device has to be able to follow them, at the host's own addresses.
  out_.limits_.svm = !all([](const auto& device) { return device->description().discrete; });
  number<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES,
                                     out_.limits_.svm ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER : 0);
}

void InfoComposer::floating_point() {
  auto doubles = anchored<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG);
  out_.limits_.fp64 = doubles != 0;
  for (const auto& device : machine_.devices) {
    const auto config = query<cl_device_fp_config>(*device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0);
    if (config != 0) doubles &= config;
  }
  number<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG, doubles);
  const bool half = all([](const auto& device) { return has_extension(*device, "cl_khr_fp16"); });
  number<cl_device_fp_config>(CL_DEVICE_HALF_FP_CONFIG,
                              half ? common<cl_device_fp_config>(CL_DEVICE_HALF_FP_CONFIG) : 0);
  // Programs read "has doubles" and "has halves" off these widths.
  const auto width = [&](cl_device_info name, bool has) {
    number<cl_uint>(name, has ? std::max<cl_uint>(anchored<cl_uint>(name), 1) : 0);
  };
  width(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, out_.limits_.fp64);
  width(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, out_.limits_.fp64);
  width(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, half);
  width(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, half);
}

void InfoComposer::images() {
  struct Count {
    cl_device_info name;
    cl_uint least;
  };
  constexpr Count kCounts[] = {
      {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64}, {CL_DEVICE_MAX_SAMPLERS, 16}};
  out_.limits_.images = has_images(anchor_);
  number<cl_bool>(CL_DEVICE_IMAGE_SUPPORT, out_.limits_.images ? CL_TRUE : CL_FALSE);
  for (const Count& count : kCounts) {
    // Devices below the minimum take no launches with so many images; they do not lower it for the others.
    cl_uint value = anchored<cl_uint>(count.name);
    for (const auto& device : machine_.devices) {
      const cl_uint other = query<cl_uint>(*device, count.name).value_or(0);
      if (other >= count.least) value = std::min(value, other);
    }
    number<cl_uint>(count.name, out_.limits_.images ? value : 0);
  }
  // Bigger than what some other device takes: such launches are confined.
  for (const cl_device_info name :
       {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH,
        CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE})
    number<size_t>(name, out_.limits_.images ? anchored<size_t>(name) : 0);
}

void InfoComposer::atomics() {
  constexpr cl_device_atomic_capabilities kRelaxed = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  // All-devices scope is of use with fine-grained shared virtual memory only, which the virtual device does not have.
  constexpr auto kNever = static_cast<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
  const auto memory = common<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & ~kNever;
  const auto fence = common<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) & ~kNever;
  number<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, memory | kRelaxed);
  number<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
                                        fence | kRelaxed | CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
}

void InfoComposer::identity() {
  number<cl_device_type>(CL_DEVICE_TYPE, reported_type(machine_.settings.device_type, machine_.devices));
  text(CL_DEVICE_NAME, device_name(machine_.devices));
  out_.version_ = "OpenCL 3.0 SKMD " SKMD_VERSION;
  text(CL_DEVICE_VERSION, out_.version_);
  text(CL_DRIVER_VERSION, SKMD_VERSION "-" + drivers_hash(machine_.devices));
  const std::vector<cl_name_version> languages = {
      named("OpenCL C", CL_MAKE_VERSION(1, 0, 0)), named("OpenCL C", CL_MAKE_VERSION(1, 1, 0)),
      named("OpenCL C", CL_MAKE_VERSION(1, 2, 0)), named("OpenCL C", CL_MAKE_VERSION(3, 0, 0))};
  set(CL_DEVICE_OPENCL_C_ALL_VERSIONS, languages.data(), languages.size() * sizeof languages[0]);
}

void InfoComposer::extensions() {
  std::vector<std::string> names = {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
                                    "cl_khr_global_int32_extended_atomics", "cl_khr_local_int32_base_atomics",
                                    "cl_khr_local_int32_extended_atomics"};
  if (out_.limits_.fp64) names.push_back("cl_khr_fp64");
  if (out_.limits_.images && has_extension(anchor_, "cl_khr_3d_image_writes"))
    names.push_back("cl_khr_3d_image_writes");
  for (const char* name : {"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics", "cl_khr_fp16"})
    if (all([&](const auto& device) { return has_extension(*device, name); })) names.emplace_back(name);
  const bool ends = offers_termination(machine_.settings);
  if (ends) names.emplace_back("cl_arm_controlled_kernel_termination");
  out_.language_.extensions = names;
  if (ends)
    number<cl_device_controlled_termination_capabilities_arm>(CL_DEVICE_CONTROLLED_TERMINATION_CAPABILITIES_ARM,
                                                              CL_DEVICE_CONTROLLED_TERMINATION_SUCCESS_ARM |
                                                                  CL_DEVICE_CONTROLLED_TERMINATION_FAILURE_ARM |
                                                                  CL_DEVICE_CONTROLLED_TERMINATION_QUERY_ARM);

  // Extensions of the interface, no macros of the language.
  names.emplace_back("cl_khr_icd");
  names.emplace_back("cl_khr_suggested_local_work_size");
  for (const std::string& name : names) {
    out_.extensions_ += (out_.extensions_.empty() ? "" : " ") + name;
    out_.extension_versions_.push_back(named(name, CL_MAKE_VERSION(1, 0, 0)));
  }
  text(CL_DEVICE_EXTENSIONS, out_.extensions_);
  set(CL_DEVICE_EXTENSIONS_WITH_VERSION, out_.extension_versions_.data(),
      out_.extension_versions_.size() * sizeof(cl_name_version));
}

void InfoComposer::features() {
  std::vector<std::string> names = {"__opencl_c_int64"};
  if (out_.limits_.fp64) names.emplace_back("__opencl_c_fp64");
  if (out_.limits_.images) names.emplace_back("__opencl_c_images");
  if (out_.limits_.images && has_extension(anchor_, "cl_khr_3d_image_writes"))
    names.emplace_back("__opencl_c_3d_image_writes");
  const auto atomics = out_.get<cl_device_atomic_capabilities>(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
  if (atomics & CL_DEVICE_ATOMIC_ORDER_ACQ_REL) names.emplace_back("__opencl_c_atomic_order_acq_rel");
  if (atomics & CL_DEVICE_ATOMIC_ORDER_SEQ_CST) names.emplace_back("__opencl_c_atomic_order_seq_cst");
  if (atomics & CL_DEVICE_ATOMIC_SCOPE_DEVICE) names.emplace_back("__opencl_c_atomic_scope_device");
  std::vector<cl_name_version> list;
  for (const std::string& name : names) list.push_back(named(name, CL_MAKE_VERSION(3, 0, 0)));
  set(CL_DEVICE_OPENCL_C_FEATURES, list.data(), list.size() * sizeof(cl_name_version));
  out_.language_.features = std::move(names);
  out_.language_.fp64 = out_.limits_.fp64;
  out_.language_.images = out_.limits_.images;
}

void InfoComposer::partition() {
  // Units are the anchor's: where those are threads of ours, a part of them is a promise that can be kept.
  const auto units = out_.get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  out_.limits_.sub_devices = anchor_.description().partitionable && units > 1;
  number<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, out_.limits_.sub_devices ? units : 0);
  std::vector<cl_device_partition_property> schemes{0};
  if (out_.limits_.sub_devices) schemes = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
  set(CL_DEVICE_PARTITION_PROPERTIES, schemes.data(), schemes.size() * sizeof schemes[0]);
}

void InfoComposer::limits() {
  DeviceLimits& limits = out_.limits_;
  limits.max_alloc_bytes = out_.get<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  limits.base_align_bytes = std::max<std::uint64_t>(out_.get<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8, 1);
  limits.local_bytes = out_.get<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  limits.work_group_size = out_.get<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const auto sizes = out_.get<std::array<size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  std::copy(sizes.begin(), sizes.end(), limits.work_item_sizes);
  limits.parameter_bytes = out_.get<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  limits.image2d_width = out_.get<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  limits.image2d_height = out_.get<size_t>(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  limits.image3d_width = out_.get<size_t>(CL_DEVICE_IMAGE3D_MAX_WIDTH);
  limits.image3d_height = out_.get<size_t>(CL_DEVICE_IMAGE3D_MAX_HEIGHT);
  limits.image3d_depth = out_.get<size_t>(CL_DEVICE_IMAGE3D_MAX_DEPTH);
  limits.image_buffer_texels = out_.get<size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
  limits.image_array_size = out_.get<size_t>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
}

DeviceInfo::DeviceInfo(const Machine& machine) { InfoComposer(machine, *this).compose(); }

const std::vector<std::byte>* DeviceInfo::find(cl_device_info name) const {
  const auto answer = answers_.find(name);
  return answer == answers_.end() ? nullptr : &answer->second;
}

}  // namespace skmd::icd
