// SPDX-License-Identifier: Apache-2.0
// What mapping by object and mapping by address share.
#pragma once

#include "intercept/api/enqueue.h"
#include "intercept/command/map.h"

namespace skmd::icd::api {

/// CL_INVALID_VALUE: "if values specified in map_flags are not valid"; CL_INVALID_OPERATION: host-access flags.
Status check_map_flags(const Memory& memory, cl_map_flags flags);

struct MapCall {
  cl_command_type type;
  bool blocking;
  cl_map_flags flags;
};

/// The last step of a map, every check having been made. `pointer`: what the call returns; `bounce` as for make_map().
Result<void*> enqueue_map(Enqueue& call, const Ref<Memory>& memory, const RectRegion& region, const MapCall& what,
                          void* pointer, const HostBox& bounce);

/// The last step of an unmap. CL_INVALID_VALUE: `pointer` was not mapped through `memory`.
Status enqueue_unmap(Enqueue& call, cl_command_type type, const Ref<Memory>& memory, void* pointer);

}  // namespace skmd::icd::api
