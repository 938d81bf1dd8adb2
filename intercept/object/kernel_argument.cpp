// SPDX-License-Identifier: Apache-2.0
// clSetKernelArg: what an argument may be, by the kind of its parameter.
#include <cstring>

#include "intercept/object/kernel.h"
#include "intercept/object/program.h"
#include "intercept/object/svm.h"

namespace skmd::icd {
namespace {

using domain::Error;
using domain::ImageAccess;
using domain::Parameter;
using domain::ParameterKind;

Error refuse(cl_int code, cl_uint index, const std::string& what) {
  return {code, "argument " + std::to_string(index) + ": " + what};
}

Status check_handle_size(cl_uint index, size_t size) {
  if (size == sizeof(void*)) return {};
  return refuse(CL_INVALID_ARG_SIZE, index,
                "size " + std::to_string(size) + " is not a handle's " + std::to_string(sizeof(void*)));
}

void* handle_at(const void* value) {
  void* handle = nullptr;
  std::memcpy(&handle, value, sizeof handle);
  return handle;
}

Memory* memory_of(const Context& context, void* handle) {
  auto* memory = static_cast<Memory*>(look_up(handle, Kind::memory));
  return memory != nullptr && &memory->context() == &context ? memory : nullptr;
}

Status check_image(cl_uint index, const Parameter& parameter, const Memory* memory) {
  if (memory == nullptr || !memory->is_image())
    return refuse(CL_INVALID_MEM_OBJECT, index, "not an image of the kernel's context");
  if (parameter.image_type != 0 && parameter.image_type != memory->type())
    return refuse(CL_INVALID_MEM_OBJECT, index,
                  "image type " + std::to_string(memory->type()) + " where the kernel has " +
                      std::to_string(parameter.image_type));
  const bool reads = parameter.image_access != ImageAccess::write_only;
  const bool writes =
      parameter.image_access == ImageAccess::write_only || parameter.image_access == ImageAccess::read_write;
  if ((reads && (memory->flags() & CL_MEM_WRITE_ONLY) != 0) || (writes && (memory->flags() & CL_MEM_READ_ONLY) != 0))
    return refuse(CL_INVALID_ARG_VALUE, index, "the image's flags forbid what the kernel's access qualifier asks for");
  return {};
}

}  // namespace

Status Kernel::set_pointer(cl_uint index, size_t size, const void* value) {
  if (Status status = check_handle_size(index, size); !status) return status;
  void* handle = value != nullptr ? handle_at(value) : nullptr;
  if (handle != nullptr) {
    const Memory* memory = memory_of(*program_->context(), handle);
    if (memory == nullptr || memory->is_image())
      return refuse(CL_INVALID_MEM_OBJECT, index, "not a buffer of the kernel's context");
  }
  const MutexGuard lock(kept_->mutex());
  arguments_[index].form = handle != nullptr ? Form::memory : Form::null;
  arguments_[index].handle = handle;
  return {};
}

Status Kernel::set_image(cl_uint index, size_t size, const void* value) {
  if (Status status = check_handle_size(index, size); !status) return status;
  if (value == nullptr) return refuse(CL_INVALID_ARG_VALUE, index, "an image may not be NULL");
  void* handle = handle_at(value);
  const Memory* memory = memory_of(*program_->context(), handle);
  if (Status status = check_image(index, built_->traits().parameters[index], memory); !status) return status;
  const MutexGuard lock(kept_->mutex());
  arguments_[index].form = Form::memory;
  arguments_[index].handle = handle;
  return {};
}

Status Kernel::set_sampler(cl_uint index, size_t size, const void* value) {
  if (Status status = check_handle_size(index, size); !status) return status;
  void* handle = value != nullptr ? handle_at(value) : nullptr;
  const auto* sampler = static_cast<Sampler*>(look_up(handle, Kind::sampler));
  if (sampler == nullptr || &sampler->context() != program_->context().get())
    return refuse(CL_INVALID_SAMPLER, index, "not a sampler of the kernel's context");
  const MutexGuard lock(kept_->mutex());
  arguments_[index].form = Form::sampler;
  arguments_[index].handle = handle;
  return {};
}

Status Kernel::set_local(cl_uint index, size_t size, const void* value) {
  if (size == 0) return refuse(CL_INVALID_ARG_SIZE, index, "__local memory of 0 bytes");
  if (value != nullptr) return refuse(CL_INVALID_ARG_VALUE, index, "a value for __local memory");
  const MutexGuard lock(kept_->mutex());
  arguments_[index].form = Form::local;
  arguments_[index].local_bytes = size;
  return {};
}

Status Kernel::set_value(cl_uint index, size_t size, const void* value) {
  const Parameter& parameter = built_->traits().parameters[index];
  // Size 0 in an opaque program's parameter: its vendor describes no structures, but knows what it takes.
  const bool short_vector = parameter.three_vector && size == parameter.size / 4 * 3;
  if (parameter.size != 0 && size != parameter.size && !short_vector)
    return refuse(CL_INVALID_ARG_SIZE, index,
                  "size " + std::to_string(size) + " is not the type's " + std::to_string(parameter.size));
  if (value == nullptr) return refuse(CL_INVALID_ARG_VALUE, index, "no value");
  if (parameter.size == 0 && (size == 0 || !built_->takes_value(index, size)))
    return refuse(CL_INVALID_ARG_SIZE, index, "size " + std::to_string(size) + " is not what the driver takes");
  const MutexGuard lock(kept_->mutex());
  Argument& argument = arguments_[index];
  argument.value.resize(parameter.size != 0 ? parameter.size : size);
  std::memcpy(argument.value.data(), value, size);
  argument.form = Form::value;
  return {};
}

Status Kernel::set_unknown(cl_uint index, size_t size, const void* value) {
  if (value == nullptr && size != sizeof(void*)) return set_local(index, size, value);
  if (size == sizeof(void*)) {
    void* handle = value != nullptr ? handle_at(value) : nullptr;
    if (handle == nullptr || memory_of(*program_->context(), handle) != nullptr ||
        look_up(handle, Kind::sampler) != nullptr) {
      const MutexGuard lock(kept_->mutex());
      const bool sampler = handle != nullptr && look_up(handle, Kind::sampler) != nullptr;
      arguments_[index].form = handle == nullptr ? Form::null : sampler ? Form::sampler : Form::memory;
      arguments_[index].handle = handle;
      return {};
    }
  }
  return set_value(index, size, value);
}

Status Kernel::check_index(cl_uint index) const {
  if (index < arguments_.size()) return {};
  return domain::Error{CL_INVALID_ARG_INDEX, "arg_index " + std::to_string(index) + " of a kernel with " +
                                                 std::to_string(arguments_.size()) + " arguments"};
}

Status Kernel::set_svm_pointer(cl_uint index, const void* pointer) {
  if (Status status = check_index(index); !status) return status;
  const ParameterKind kind = built_->traits().parameters[index].kind;
  if (kind != ParameterKind::global_pointer && kind != ParameterKind::constant_pointer && kind != ParameterKind::other)
    return refuse(CL_INVALID_ARG_VALUE, index,
                  "a pointer for a parameter that is none to __global or __constant memory");
  if (pointer != nullptr && !program_->context()->svm().find(pointer).memory)
    return refuse(CL_INVALID_ARG_VALUE, index, "the pointer is in no shared virtual memory of the kernel's context");
  const MutexGuard lock(kept_->mutex());
  arguments_[index].form = pointer != nullptr ? Form::svm : Form::null;
  arguments_[index].handle = const_cast<void*>(pointer);
  return {};
}

Status Kernel::set_argument(cl_uint index, size_t size, const void* value) {
  if (Status status = check_index(index); !status) return status;
  switch (built_->traits().parameters[index].kind) {
    case ParameterKind::global_pointer:
    case ParameterKind::constant_pointer:
      return set_pointer(index, size, value);
    case ParameterKind::local_pointer:
      return set_local(index, size, value);
    case ParameterKind::image:
      return set_image(index, size, value);
    case ParameterKind::sampler:
      return set_sampler(index, size, value);
    case ParameterKind::value:
      return set_value(index, size, value);
    case ParameterKind::other:
      return set_unknown(index, size, value);
  }
  return domain::Error{CL_INVALID_ARG_VALUE, "a parameter of unknown kind"};
}

}  // namespace skmd::icd
