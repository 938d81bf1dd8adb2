// SPDX-License-Identifier: Apache-2.0
// Platform, devices, contexts, queues.
#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {
namespace {

void add_devices(Cases& cases) {
  cases.push_back({"clGetPlatformIDs", CL_INVALID_VALUE, "both outputs are NULL",
                   [](World&) { return clGetPlatformIDs(0, nullptr, nullptr); }});
  cases.push_back({"clGetPlatformIDs", CL_INVALID_VALUE, "a list of 0 entries",
                   [](World& w) { return clGetPlatformIDs(0, w.array<cl_platform_id>(), w.count()); }});
  // A NULL platform is the loader's or the driver's choice.
  for (const Bad bad : {Bad::foreign, Bad::other_kind, Bad::released}) {
    const std::string wrong = std::string("the platform is ") + name_of(bad);
    cases.push_back({"clGetPlatformInfo", CL_INVALID_PLATFORM, wrong, [bad](World& w) {
                       return clGetPlatformInfo(w.bad<cl_platform_id>(bad), CL_PLATFORM_NAME, World::kValueBytes,
                                                w.value(), w.size_ret());
                     }});
    cases.push_back({"clGetDeviceIDs", CL_INVALID_PLATFORM, wrong, [bad](World& w) {
                       return clGetDeviceIDs(w.bad<cl_platform_id>(bad), CL_DEVICE_TYPE_ALL, 1, w.array<cl_device_id>(),
                                             w.count());
                     }});
    cases.push_back({"clUnloadPlatformCompiler", CL_INVALID_PLATFORM, wrong,
                     [bad](World& w) { return clUnloadPlatformCompiler(w.bad<cl_platform_id>(bad)); }});
  }
  add_bad_queries(cases, "clGetPlatformInfo", CL_PLATFORM_NAME,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetPlatformInfo(w.platform, name, size, value, size_ret);
                  });
  for (const cl_device_type type : {cl_device_type{0}, cl_device_type{1} << 20})
    cases.push_back({"clGetDeviceIDs", CL_INVALID_DEVICE_TYPE, "type " + std::to_string(type), [type](World& w) {
                       return clGetDeviceIDs(w.platform, type, 1, w.array<cl_device_id>(), w.count());
                     }});
  for (const cl_device_type type : {CL_DEVICE_TYPE_CUSTOM, CL_DEVICE_TYPE_ACCELERATOR})
    cases.push_back({"clGetDeviceIDs", CL_DEVICE_NOT_FOUND, "type " + std::to_string(type), [type](World& w) {
                       return clGetDeviceIDs(w.platform, static_cast<cl_device_type>(type), 1, w.array<cl_device_id>(),
                                             w.count());
                     }});
  cases.push_back({"clGetDeviceIDs", CL_INVALID_VALUE, "both outputs are NULL",
                   [](World& w) { return clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr); }});
  cases.push_back({"clGetDeviceIDs", CL_INVALID_VALUE, "a list of 0 entries", [](World& w) {
                     return clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 0, w.array<cl_device_id>(), w.count());
                   }});
}

void add_device_calls(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_DEVICE;
  using Device = cl_device_id;
  add_bad_handles<Device>(cases, "clGetDeviceInfo", kBad, "the device", [](World& w, Device device) {
    return clGetDeviceInfo(device, CL_DEVICE_NAME, World::kValueBytes, w.value(), w.size_ret());
  });
  add_bad_queries(cases, "clGetDeviceInfo", CL_DEVICE_NAME,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetDeviceInfo(w.device, name, size, value, size_ret);
                  });
  add_bad_handles<Device>(cases, "clGetHostTimer", kBad, "the device",
                          [](World& w, Device device) { return clGetHostTimer(device, w.array<cl_ulong>()); });
  cases.push_back({"clGetHostTimer", CL_INVALID_VALUE, "the output is NULL",
                   [](World& w) { return clGetHostTimer(w.device, nullptr); }});
  add_bad_handles<Device>(cases, "clGetDeviceAndHostTimer", kBad, "the device", [](World& w, Device device) {
    return clGetDeviceAndHostTimer(device, w.array<cl_ulong>(), w.array<cl_ulong>() + 1);
  });
  cases.push_back({"clGetDeviceAndHostTimer", CL_INVALID_VALUE, "an output is NULL",
                   [](World& w) { return clGetDeviceAndHostTimer(w.device, w.array<cl_ulong>(), nullptr); }});
  cases.push_back({"clGetDeviceAndHostTimer", CL_INVALID_VALUE, "the other output is NULL",
                   [](World& w) { return clGetDeviceAndHostTimer(w.device, nullptr, w.array<cl_ulong>()); }});
  add_bad_handles<Device>(cases, "clRetainDevice", kBad, "the device",
                          [](World&, Device device) { return clRetainDevice(device); });
  add_bad_handles<Device>(cases, "clReleaseDevice", kBad, "the device",
                          [](World&, Device device) { return clReleaseDevice(device); });
  static constexpr cl_device_partition_property kEqually[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  add_bad_handles<Device>(cases, "clCreateSubDevices", kBad, "the device", [](World& w, Device device) {
    return clCreateSubDevices(device, kEqually, 1, w.array<Device>(), w.count());
  });
  static constexpr cl_device_partition_property kByCounts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                               CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  static constexpr cl_device_partition_property kByDomain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                               CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
  for (const cl_device_partition_property* scheme : {kEqually, kByCounts, kByDomain})
    cases.push_back({"clCreateSubDevices", CL_INVALID_VALUE, "the scheme is not listed", [scheme](World& w) {
                       return clCreateSubDevices(w.device, scheme, 1, w.array<Device>(), w.count());
                     }});
}

struct WrongProperties {
  cl_int code;
  const char* wrong;
  std::vector<cl_context_properties> list;
};

void add_contexts(Cases& cases) {
  const std::vector<WrongProperties> lists{
      {CL_INVALID_PROPERTY, "a property is unknown", {0x7777, 1, 0}},
      {CL_INVALID_PROPERTY, "a property of another interface", {0x2008 /* CL_GL_CONTEXT_KHR */, 1, 0}},
      {CL_INVALID_PROPERTY,
       "a property is given twice",
       {CL_CONTEXT_INTEROP_USER_SYNC, 1, CL_CONTEXT_INTEROP_USER_SYNC, 1, 0}},
      {CL_INVALID_PROPERTY, "a property's value is no boolean", {CL_CONTEXT_INTEROP_USER_SYNC, 7, 0}},
      {CL_INVALID_PLATFORM, "the platform is no platform", {CL_CONTEXT_PLATFORM, -1, 0}},
  };
  for (const WrongProperties& properties : lists) {
    const auto with = [list = properties.list](World& w) {
      auto copy = list;
      if (copy[0] == CL_CONTEXT_PLATFORM) copy[1] = reinterpret_cast<cl_context_properties>(w.complete);
      // The loader finds us by the platform.
      if (copy[0] != CL_CONTEXT_PLATFORM)
        copy.insert(copy.begin(), {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(w.platform)});
      return copy;
    };
    cases.push_back({"clCreateContext", properties.code, properties.wrong, [with](World& w) {
                       return w.made(clCreateContext(with(w).data(), 1, &w.device, nullptr, nullptr, w.code()));
                     }});
    cases.push_back({"clCreateContextFromType", properties.code, properties.wrong, [with](World& w) {
                       return w.made(
                           clCreateContextFromType(with(w).data(), CL_DEVICE_TYPE_ALL, nullptr, nullptr, w.code()));
                     }});
  }
  cases.push_back({"clCreateContext", CL_INVALID_VALUE, "no devices", [](World& w) {
                     return w.made(clCreateContext(nullptr, 0, &w.device, nullptr, nullptr, w.code()));
                   }});
  cases.push_back({"clCreateContext", CL_INVALID_VALUE, "the devices are NULL",
                   [](World& w) { return w.made(clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, w.code())); }});
  cases.push_back({"clCreateContext", CL_INVALID_VALUE, "user_data without a function",
                   [](World& w) { return w.made(clCreateContext(nullptr, 1, &w.device, nullptr, &w, w.code())); }});
  for (const Bad bad : {Bad::foreign, Bad::other_kind, Bad::released})
    cases.push_back({"clCreateContext", CL_INVALID_DEVICE, std::string("a device is ") + name_of(bad), [bad](World& w) {
                       const cl_device_id devices[2] = {w.device, w.bad<cl_device_id>(bad)};
                       return w.made(clCreateContext(nullptr, 2, devices, nullptr, nullptr, w.code()));
                     }});
  const auto from_type = [](World& w, cl_device_type type, void* data) {
    const cl_context_properties ours[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(w.platform), 0};
    return w.made(clCreateContextFromType(ours, type, nullptr, data, w.code()));
  };
  cases.push_back({"clCreateContextFromType", CL_INVALID_VALUE, "user_data without a function",
                   [from_type](World& w) { return from_type(w, CL_DEVICE_TYPE_ALL, &w); }});
  cases.push_back({"clCreateContextFromType", CL_INVALID_DEVICE_TYPE, "no type",
                   [from_type](World& w) { return from_type(w, 0, nullptr); }});
  cases.push_back({"clCreateContextFromType", CL_INVALID_DEVICE_TYPE, "an unknown type",
                   [from_type](World& w) { return from_type(w, cl_device_type{1} << 20, nullptr); }});
  cases.push_back({"clCreateContextFromType", CL_DEVICE_NOT_FOUND, "no such device",
                   [from_type](World& w) { return from_type(w, CL_DEVICE_TYPE_ACCELERATOR, nullptr); }});
}

void add_context_calls(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_CONTEXT;
  add_bad_handles<cl_context>(cases, "clRetainContext", kBad, "the context",
                              [](World&, cl_context context) { return clRetainContext(context); });
  add_bad_handles<cl_context>(cases, "clReleaseContext", kBad, "the context",
                              [](World&, cl_context context) { return clReleaseContext(context); });
  add_bad_handles<cl_context>(cases, "clGetContextInfo", kBad, "the context", [](World& w, cl_context context) {
    return clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, World::kValueBytes, w.value(), w.size_ret());
  });
  add_bad_queries(cases, "clGetContextInfo", CL_CONTEXT_DEVICES,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetContextInfo(w.mine.context, name, size, value, size_ret);
                  });
  add_bad_handles<cl_context>(cases, "clSetContextDestructorCallback", kBad, "the context",
                              [](World&, cl_context context) {
                                return clSetContextDestructorCallback(
                                    context, [](cl_context, void*) { ADD_FAILURE(); }, nullptr);
                              });
  cases.push_back({"clSetContextDestructorCallback", CL_INVALID_VALUE, "the function is NULL",
                   [](World& w) { return clSetContextDestructorCallback(w.mine.context, nullptr, nullptr); }});
}

struct WrongQueue {
  cl_int code;
  const char* wrong;
  std::vector<cl_queue_properties> list;
};

void add_queues(Cases& cases) {
  const std::vector<WrongQueue> lists{
      {CL_INVALID_VALUE, "a property is unknown", {0x7777, 1, 0}},
      {CL_INVALID_VALUE, "a property is given twice", {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0}},
      {CL_INVALID_VALUE, "a bit is unknown", {CL_QUEUE_PROPERTIES, 1 << 20, 0}},
      {CL_INVALID_VALUE, "on the device but in order", {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}},
      {CL_INVALID_VALUE, "the default but not on the device", {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT, 0}},
      {CL_INVALID_VALUE, "a size but not on the device", {CL_QUEUE_SIZE, 1024, 0}},
      {CL_INVALID_VALUE, "a priority between two", {0x1096 /* CL_QUEUE_PRIORITY_KHR */, 3, 0}},
      {CL_INVALID_QUEUE_PROPERTIES,
       "a queue on the device",
       {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}},
  };
  for (const WrongQueue& wrong : lists)
    cases.push_back({"clCreateCommandQueueWithProperties", wrong.code, wrong.wrong, [list = wrong.list](World& w) {
                       return w.made(
                           clCreateCommandQueueWithProperties(w.mine.context, w.device, list.data(), w.code()));
                     }});
  add_bad_handles<cl_context>(cases, "clCreateCommandQueueWithProperties", CL_INVALID_CONTEXT, "the context",
                              [](World& w, cl_context context) {
                                return w.made(clCreateCommandQueueWithProperties(context, w.device, nullptr, w.code()));
                              });
  add_bad_handles<cl_device_id>(
      cases, "clCreateCommandQueueWithProperties", CL_INVALID_DEVICE, "the device", [](World& w, cl_device_id device) {
        return w.made(clCreateCommandQueueWithProperties(w.mine.context, device, nullptr, w.code()));
      });
  add_bad_handles<cl_context>(
      cases, "clCreateCommandQueue", CL_INVALID_CONTEXT, "the context",
      [](World& w, cl_context context) { return w.made(clCreateCommandQueue(context, w.device, 0, w.code())); });
  add_bad_handles<cl_device_id>(
      cases, "clCreateCommandQueue", CL_INVALID_DEVICE, "the device",
      [](World& w, cl_device_id device) { return w.made(clCreateCommandQueue(w.mine.context, device, 0, w.code())); });
  for (const cl_command_queue_properties bits :
       {cl_command_queue_properties{1} << 20, cl_command_queue_properties{CL_QUEUE_ON_DEVICE}})
    cases.push_back({"clCreateCommandQueue", CL_INVALID_VALUE, "properties " + std::to_string(bits), [bits](World& w) {
                       return w.made(clCreateCommandQueue(w.mine.context, w.device, bits, w.code()));
                     }});
}

void add_queue_calls(Cases& cases) {
  constexpr cl_int kBad = CL_INVALID_COMMAND_QUEUE;
  using Queue = cl_command_queue;
  add_bad_handles<Queue>(cases, "clRetainCommandQueue", kBad, "the queue",
                         [](World&, Queue queue) { return clRetainCommandQueue(queue); });
  add_bad_handles<Queue>(cases, "clReleaseCommandQueue", kBad, "the queue",
                         [](World&, Queue queue) { return clReleaseCommandQueue(queue); });
  add_bad_handles<Queue>(cases, "clFlush", kBad, "the queue", [](World&, Queue queue) { return clFlush(queue); });
  add_bad_handles<Queue>(cases, "clFinish", kBad, "the queue", [](World&, Queue queue) { return clFinish(queue); });
  add_bad_handles<Queue>(cases, "clGetCommandQueueInfo", kBad, "the queue", [](World& w, Queue queue) {
    return clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, World::kValueBytes, w.value(), w.size_ret());
  });
  cases.push_back({"clGetCommandQueueInfo", kBad, "the size of a queue on the host", [](World& w) {
                     return clGetCommandQueueInfo(w.mine.queue, CL_QUEUE_SIZE, World::kValueBytes, w.value(),
                                                  w.size_ret());
                   }});
  add_bad_queries(cases, "clGetCommandQueueInfo", CL_QUEUE_CONTEXT,
                  [](World& w, cl_uint name, size_t size, void* value, size_t* size_ret) {
                    return clGetCommandQueueInfo(w.mine.queue, name, size, value, size_ret);
                  });
  add_bad_handles<Queue>(cases, "clSetCommandQueueProperty", kBad, "the queue", [](World& w, Queue queue) {
    return clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, w.array<cl_command_queue_properties>());
  });
  cases.push_back({"clSetCommandQueueProperty", CL_INVALID_OPERATION, "properties are fixed", [](World& w) {
                     return clSetCommandQueueProperty(w.mine.queue, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, nullptr);
                   }});
  add_bad_handles<cl_context>(
      cases, "clSetDefaultDeviceCommandQueue", CL_INVALID_CONTEXT, "the context",
      [](World& w, cl_context context) { return clSetDefaultDeviceCommandQueue(context, w.device, w.mine.queue); });
  cases.push_back({"clSetDefaultDeviceCommandQueue", CL_INVALID_OPERATION, "there are no queues on the device",
                   [](World& w) { return clSetDefaultDeviceCommandQueue(w.mine.context, w.device, w.mine.queue); }});
}

}  // namespace

void add_platform_cases(Cases& cases) {
  add_devices(cases);
  add_device_calls(cases);
  add_contexts(cases);
  add_context_calls(cases);
  add_queues(cases);
  add_queue_calls(cases);
}

}  // namespace skmd::test
