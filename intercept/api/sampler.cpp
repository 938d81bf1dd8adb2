// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/sampler.h"

#include "intercept/api/dispatch.h"
#include "intercept/api/info.h"
#include "intercept/api/platform.h"

namespace skmd::icd::api {

Result<cl_sampler> make_sampler(cl_context context, const SamplerValues& values,
                                std::vector<cl_sampler_properties> list) {
  const auto owner = borrow<Context>(context);
  if (!owner) return owner.error();
  // CL_INVALID_VALUE: "if the property name ... is not supported, if the value ... is not valid".
  if (values.normalized > CL_TRUE)
    return Error{CL_INVALID_VALUE, "normalized_coords " + std::to_string(values.normalized) + " is no boolean"};
  if (values.addressing < CL_ADDRESS_NONE || values.addressing > CL_ADDRESS_MIRRORED_REPEAT)
    return Error{CL_INVALID_VALUE, "addressing_mode " + std::to_string(values.addressing) + " is unknown"};
  if (values.filter != CL_FILTER_NEAREST && values.filter != CL_FILTER_LINEAR)
    return Error{CL_INVALID_VALUE, "filter_mode " + std::to_string(values.filter) + " is unknown"};
  // CL_INVALID_OPERATION: "if images are not supported by any device associated with context".
  if (!the_device()->info().limits().images) return Error{CL_INVALID_OPERATION, "the device has no images"};
  return give(make_object<Sampler>(*owner, values.normalized == CL_TRUE,
                                   static_cast<cl_addressing_mode>(values.addressing),
                                   static_cast<cl_filter_mode>(values.filter), std::move(list)));
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties* properties,
                                                     cl_int* errcode_ret) {
  return entry("clCreateSamplerWithProperties", errcode_ret, [&]() -> Result<cl_sampler> {
    SamplerValues values;
    std::vector<cl_sampler_properties> list;
    if (const auto owner = borrow<Context>(context); !owner) return owner.error();
    for (const cl_sampler_properties* entry = properties; entry != nullptr && *entry != 0; entry += 2) {
      // CL_INVALID_VALUE: "if the same property name is specified more than once".
      for (size_t i = 0; i < list.size(); i += 2)
        if (list[i] == entry[0])
          return Error{CL_INVALID_VALUE, "property " + std::to_string(entry[0]) + " is given twice"};
      switch (entry[0]) {
        case CL_SAMPLER_NORMALIZED_COORDS:
          values.normalized = entry[1];
          break;
        case CL_SAMPLER_ADDRESSING_MODE:
          values.addressing = entry[1];
          break;
        case CL_SAMPLER_FILTER_MODE:
          values.filter = entry[1];
          break;
        default:
          return Error{CL_INVALID_VALUE, "property " + std::to_string(entry[0]) + " is not supported"};
      }
      list.insert(list.end(), {entry[0], entry[1]});
    }
    if (properties != nullptr) list.push_back(0);
    return make_sampler(context, values, std::move(list));
  });
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) { return retain_handle<Sampler>("clRetainSampler", sampler); }
cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) { return release_handle<Sampler>("clReleaseSampler", sampler); }

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void* value,
                                    size_t* size_ret) {
  return entry("clGetSamplerInfo", [&]() -> Status {
    const auto object = borrow<Sampler>(sampler);
    if (!object) return object.error();
    const InfoQuery query(name, size, value, size_ret);
    switch (name) {
      case CL_SAMPLER_REFERENCE_COUNT:
        return query.value<cl_uint>((*object)->slot()->references.load());
      case CL_SAMPLER_CONTEXT:
        return query.value<cl_context>(handle_of((*object)->context()));
      case CL_SAMPLER_NORMALIZED_COORDS:
        return query.value<cl_bool>((*object)->normalized() ? CL_TRUE : CL_FALSE);
      case CL_SAMPLER_ADDRESSING_MODE:
        return query.value<cl_addressing_mode>((*object)->addressing());
      case CL_SAMPLER_FILTER_MODE:
        return query.value<cl_filter_mode>((*object)->filter());
      case CL_SAMPLER_PROPERTIES:
        return query.list((*object)->property_list());
      default:
        return query.unknown();
    }
  });
}

}  // namespace skmd::icd::api
