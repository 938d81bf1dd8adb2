// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory: allocations, and kernels that are given its addresses.
#include "intercept/object/svm.h"

#include <unistd.h>

#include <bit>
#include <cstring>
#include <vector>

#include "intercept/api/dispatch.h"
#include "intercept/api/entry.h"
#include "intercept/api/memory.h"
#include "intercept/api/platform.h"
#include "intercept/api/svm.h"
#include "intercept/object/kernel.h"
#include "intercept/object/program.h"

namespace skmd::icd::api {
namespace {

/// What makes clSVMAlloc return NULL. There is no errcode_ret: the codes are for the log.
Status check_allocation(cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  if (const Status status = check_svm_offered(); !status) return status;
  if ((flags & (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)) != 0)
    return Error{CL_INVALID_VALUE, "flags " + std::to_string(flags) + " ask for fine-grained sharing or atomics"};
  if ((flags & ~kAccessFlags) != 0 || std::popcount(flags & kAccessFlags) > 1)
    return Error{CL_INVALID_VALUE, "flags " + std::to_string(flags) + " are no single access flag"};
  const std::uint64_t most = the_device()->info().limits().max_alloc_bytes;
  if (size == 0 || size > most)
    return Error{CL_INVALID_BUFFER_SIZE, "size " + std::to_string(size) + " is not in 1 to " + std::to_string(most)};
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (alignment != 0 && (!std::has_single_bit(alignment) || alignment > page))
    return Error{CL_INVALID_VALUE, "alignment " + std::to_string(alignment) + " is no power of two up to a page's " +
                                       std::to_string(page) + " bytes"};
  return check_memory_left(size);
}

Status set_pointers(Kernel& kernel, size_t size, const void* value) {
  if (size == 0 || size % sizeof(void*) != 0)
    return Error{CL_INVALID_VALUE, "param_value_size " + std::to_string(size) + " is no number of pointers"};
  std::vector<const void*> pointers(size / sizeof(void*));
  std::memcpy(pointers.data(), value, size);
  kernel.set_svm_pointers(std::move(pointers));
  return {};
}

Status check_fine_grain_system(size_t size, const void* value) {
  if (size != sizeof(cl_bool))
    return Error{CL_INVALID_VALUE, "param_value_size " + std::to_string(size) + " is not a cl_bool's"};
  cl_bool wanted = CL_FALSE;
  std::memcpy(&wanted, value, sizeof wanted);
  if (wanted == CL_FALSE) return {};
  return Error{CL_INVALID_OPERATION, "the device has no fine-grained sharing of the system's memory"};
}

}  // namespace

Status check_svm_offered() {
  const VirtualDevice* const device = the_device();
  if (device != nullptr && device->info().limits().svm) return {};
  return Error{CL_INVALID_OPERATION, "the device has no shared virtual memory: every real device copies"};
}

void* CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  return entry("clSVMAlloc", nullptr, [&]() -> Result<void*> {
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    if (const Status status = check_allocation(flags, size, alignment); !status) return status.error();
    auto storage = Storage::create_shared((*owner)->machine(), size);
    if (!storage) return storage.error();
    const auto begin = (*storage)->host();
    if (!begin) return begin.error();
    if ((flags & kAccessFlags) == 0) flags |= CL_MEM_READ_WRITE;
    (*owner)->svm().add(make_object<Memory>(*owner, cl_mem_object_type{CL_MEM_OBJECT_BUFFER}, flags,
                                            std::move(*storage), std::uint64_t{0}, std::uint64_t{size}, *begin, nullptr,
                                            std::vector<cl_mem_properties>{}));
    return static_cast<void*>(*begin);
  });
}

void CL_API_CALL clSVMFree(cl_context context, void* pointer) {
  (void)entry("clSVMFree", [&]() -> Status {
    const DestructorsHere here;
    const auto owner = borrow<Context>(context);
    if (!owner) return owner.error();
    if (pointer == nullptr) return {};
    // "does not wait for previously enqueued commands that may be using svm_pointer": those hold the bytes.
    if ((*owner)->svm().take(pointer)) return {};
    return Error{CL_INVALID_VALUE, "svm_pointer is not what clSVMAlloc returned for this context"};
  });
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value) {
  return entry("clSetKernelArgSVMPointer", [&]() -> Status {
    const auto object = borrow<Kernel>(kernel);
    if (!object) return object.error();
    if (const Status status = check_svm_offered(); !status) return status;
    return (*object)->set_svm_pointer(index, value);
  });
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void* value) {
  return entry("clSetKernelExecInfo", [&]() -> Status {
    const auto object = borrow<Kernel>(kernel);
    if (!object) return object.error();
    if (const Status status = check_svm_offered(); !status) return status;
    // CL_INVALID_VALUE: "if param_name is not valid, if param_value is NULL or if the size specified by
    // param_value_size is not valid".
    if (name != CL_KERNEL_EXEC_INFO_SVM_PTRS && name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
      return Error{CL_INVALID_VALUE, "param_name " + std::to_string(name) + " is not one of this call's"};
    if (value == nullptr) return Error{CL_INVALID_VALUE, "param_value is NULL"};
    return name == CL_KERNEL_EXEC_INFO_SVM_PTRS ? set_pointers(**object, size, value)
                                                : check_fine_grain_system(size, value);
  });
}

}  // namespace skmd::icd::api
