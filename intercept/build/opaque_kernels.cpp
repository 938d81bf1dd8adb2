// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/opaque_kernels.h"

#include <cstring>
#include <string_view>

namespace skmd::icd {
namespace {

using domain::ImageAccess;
using domain::Parameter;
using domain::ParameterKind;

struct Scalar {
  std::string_view name;
  std::uint32_t bytes;
};
constexpr Scalar kScalars[] = {
    {"char", 1},   {"uchar", 1},         {"short", 2},          {"ushort", 2},       {"int", 4},
    {"uint", 4},   {"long", 8},          {"ulong", 8},          {"half", 2},         {"float", 4},
    {"double", 8}, {"unsigned char", 1}, {"unsigned short", 2}, {"unsigned int", 4}, {"unsigned long", 8}};

struct ImageType {
  std::string_view name;
  cl_mem_object_type type;
};
constexpr ImageType kImages[] = {{"image1d_t", CL_MEM_OBJECT_IMAGE1D},
                                 {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
                                 {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
                                 {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
                                 {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
                                 {"image3d_t", CL_MEM_OBJECT_IMAGE3D}};

/// Sets size, align and three_vector of a scalar or vector type; leaves size 0 for others.
void size_of_value(std::string_view type, Parameter& out) {
  size_t digits = type.size();
  while (digits > 0 && type[digits - 1] >= '0' && type[digits - 1] <= '9') --digits;
  std::uint32_t width = 1;
  if (digits < type.size()) {
    width = 0;
    for (const char c : type.substr(digits)) width = width * 10 + static_cast<std::uint32_t>(c - '0');
    if (width != 2 && width != 3 && width != 4 && width != 8 && width != 16) return;
  }
  for (const Scalar& scalar : kScalars) {
    if (scalar.name != type.substr(0, digits)) continue;
    out.three_vector = width == 3;
    out.size = scalar.bytes * (width == 3 ? 4 : width);
    out.align = out.size;
  }
}

ImageAccess image_access(cl_kernel_arg_access_qualifier access) {
  switch (access) {
    case CL_KERNEL_ARG_ACCESS_WRITE_ONLY:
      return ImageAccess::write_only;
    case CL_KERNEL_ARG_ACCESS_READ_WRITE:
      return ImageAccess::read_write;
    default:
      return ImageAccess::read_only;
  }
}

template <class T>
Result<T> value_info(Device& device, NativeKernel& kernel, std::uint32_t index, cl_kernel_arg_info name) {
  auto bytes = device.argument_info(kernel, index, name);
  if (!bytes) return bytes.error();
  T value{};
  if (bytes->size() != sizeof value) return domain::Error{CL_INVALID_VALUE, "an answer of another size"};
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

std::string text_info(Device& device, NativeKernel& kernel, std::uint32_t index, cl_kernel_arg_info name) {
  const auto bytes = device.argument_info(kernel, index, name);
  if (!bytes || bytes->empty()) return {};
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  return std::string(text, strnlen(text, bytes->size()));
}

Parameter describe_parameter(Device& device, NativeKernel& kernel, std::uint32_t index) {
  const auto address =
      value_info<cl_kernel_arg_address_qualifier>(device, kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
  const auto access = value_info<cl_kernel_arg_access_qualifier>(device, kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER);
  const std::string type = text_info(device, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
  Parameter out;
  if (address && access && !type.empty()) {
    out = parameter_from(*address, *access, type);
  } else {
    out.kind = ParameterKind::other;
  }
  out.name = text_info(device, kernel, index, CL_KERNEL_ARG_NAME);
  const auto qualifiers = value_info<cl_kernel_arg_type_qualifier>(device, kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER);
  if (qualifiers) out.type_qualifier = *qualifiers;
  return out;
}

}  // namespace

Parameter parameter_from(cl_kernel_arg_address_qualifier address, cl_kernel_arg_access_qualifier access,
                         const std::string& type_name) {
  Parameter out;
  out.type_name = type_name;
  out.address_qualifier = address;
  out.access_qualifier = access;
  out.size = sizeof(void*);
  out.align = sizeof(void*);
  for (const ImageType& image : kImages) {
    if (image.name != type_name) continue;
    out.kind = ParameterKind::image;
    out.image_type = image.type;
    out.image_access = image_access(access);
    return out;
  }
  if (type_name == "sampler_t") {
    out.kind = ParameterKind::sampler;
  } else if (address == CL_KERNEL_ARG_ADDRESS_GLOBAL) {
    out.kind = ParameterKind::global_pointer;
  } else if (address == CL_KERNEL_ARG_ADDRESS_CONSTANT) {
    out.kind = ParameterKind::constant_pointer;
  } else if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    out.kind = ParameterKind::local_pointer;
  } else {
    out.kind = ParameterKind::value;
    out.size = 0;
    out.align = 1;
    size_of_value(type_name, out);
  }
  return out;
}

Result<std::vector<domain::KernelTraits>> opaque_kernels(Device& device,
                                                         const std::shared_ptr<NativeProgram>& program) {
  const auto names = device.kernel_names(*program);
  if (!names) return names.error();
  std::vector<domain::KernelTraits> out;
  for (const std::string& name : *names) {
    auto kernel = device.kernel(program, name);
    if (!kernel) return kernel.error();
    const auto count = device.argument_count(**kernel);
    if (!count) return count.error();
    domain::KernelTraits traits;
    traits.name = name;
    for (std::uint32_t i = 0; i < *count; ++i) traits.parameters.push_back(describe_parameter(device, **kernel, i));
    if (const auto local = device.required_local(**kernel)) traits.required_local = *local;
    traits.local_bytes = (*kernel)->limits().local_bytes;
    out.push_back(std::move(traits));
  }
  return out;
}

}  // namespace skmd::icd
