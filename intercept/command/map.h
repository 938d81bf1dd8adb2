// SPDX-License-Identifier: Apache-2.0
// Mapping: mappings are entered and removed when map and unmap are enqueued; bytes move when they run.
#pragma once

#include <memory>

#include "intercept/object/command.h"
#include "intercept/object/memory.h"

namespace skmd::icd {

/// Enters a mapping of `region` into `memory.mappings()`. CL_INVALID_OPERATION if it is for writing and overlaps
/// another mapping for writing of the same root; nothing is entered then.
Result<Mapping> open_mapping(Memory& memory, const RectRegion& region, cl_map_flags flags, void* pointer);
/// Removes the mapping that clEnqueueUnmapMemObject of `pointer` ends: CL_INVALID_VALUE if `pointer` is not one that a
/// map of this object returned. Of several at one address those for reading go first: the last decides.
Result<Mapping> close_mapping(Memory& memory, const void* pointer);
/// A map that failed: as if it had never been enqueued.
void drop_mapping(Memory& memory, const Mapping& mapping);

/// Ends the mapping of an unmap that never ran, since a command that it waited for failed: otherwise no launch would
/// ever commit these bytes again. Takes effect when no other command holds the bytes. No effect where the unmap has
/// run, and in all calls but the first. Does not block, and needs no memory.
void end_mapping(const Mapping& mapping) noexcept;

/// `bounce`, where not null, is the application's memory of an image with loose pitches (CL_MEM_USE_HOST_PTR): it gets
/// the mapped bytes, since the tight form stays with us.
std::shared_ptr<Command> make_map(const Memory& memory, const Mapping& mapping, const HostBox& bounce);
std::shared_ptr<Command> make_unmap(const Memory& memory, const Mapping& mapping, const HostBox& bounce);

}  // namespace skmd::icd
