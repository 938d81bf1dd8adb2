/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of the loader's (OPENCL_LAYERS) under which every device is a GPU: for programs that take no other, on PoCL
 * alone. On SKMD the same is SKMD_DEVICE_TYPE=gpu. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_layer.h>
#include <stddef.h>

static const cl_icd_dispatch* next;
static cl_icd_dispatch dispatch;

/* CL_DEVICE_TYPE_ALL has every bit. */
static int found(cl_device_type type) { return (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) != 0; }

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint entries,
                                     cl_device_id* devices, cl_uint* count) {
  if (found(type)) return next->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, entries, devices, count);
  if (count) *count = 0;
  return CL_DEVICE_NOT_FOUND;
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void* value,
                                      size_t* size_ret) {
  const cl_int status = next->clGetDeviceInfo(device, name, size, value, size_ret);
  if (status == CL_SUCCESS && name == CL_DEVICE_TYPE && value) *(cl_device_type*)value = CL_DEVICE_TYPE_GPU;
  return status;
}

static cl_context CL_API_CALL context_from_type(const cl_context_properties* properties, cl_device_type type,
                                                void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*),
                                                void* data, cl_int* status) {
  if (found(type)) return next->clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, notify, data, status);
  if (status) *status = CL_DEVICE_NOT_FOUND;
  return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* size_ret) {
  if (name != CL_LAYER_API_VERSION || (value && size < sizeof(cl_layer_api_version))) return CL_INVALID_VALUE;
  if (value) *(cl_layer_api_version*)value = CL_LAYER_API_VERSION_100;
  if (size_ret) *size_ret = sizeof(cl_layer_api_version);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target, cl_uint* entries_ret,
                                            const cl_icd_dispatch** layer) {
  if (entries < sizeof dispatch / sizeof dispatch.clGetPlatformIDs) return CL_INVALID_VALUE;
  next = target;
  dispatch = *target;
  dispatch.clGetDeviceIDs = device_ids;
  dispatch.clGetDeviceInfo = device_info;
  dispatch.clCreateContextFromType = context_from_type;
  *layer = &dispatch;
  *entries_ret = sizeof dispatch / sizeof dispatch.clGetPlatformIDs;
  return CL_SUCCESS;
}
