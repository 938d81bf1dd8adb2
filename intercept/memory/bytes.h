// SPDX-License-Identifier: Apache-2.0
// Bytes of buffers copied, filled, read and written where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "intercept/memory/rect_region.h"
#include "intercept/memory/storage.h"

namespace skmd::icd {

/// Copies bytes between roots (or inside one, like memmove) where they are: pieces valid on a device are copied there.
/// Ranges locked by the caller. Blocks.
Status copy_bytes(Storage& from, std::uint64_t from_offset, Storage& to, std::uint64_t to_offset, std::uint64_t bytes);

/// Copies the rows of `source` to those of `target`, of equal extents, on a device that has all of them; the two share
/// no byte. False: there is no such device, it refused, or the copy costs less in host memory; then nothing has
/// changed. Ranges locked by the caller. Blocks.
bool copy_rows_on_device(Storage& from, const RectRegion& source, Storage& to, const RectRegion& target);

/// Fills a range of a buffer, a whole number of patterns, where its bytes are: each piece on the devices that have it,
/// bytes without a valid copy on every device with a memory of its own. Ranges locked by the caller. Blocks.
Status fill_bytes(Storage& to, const domain::ByteRange& range, const std::vector<std::byte>& pattern);

/// Copies bytes of a buffer to memory of the application's from the memories that hold them: in a large read, bytes
/// that only a device has do not pass through the shadow. Ranges locked by the caller. Blocks.
Status read_bytes(Storage& from, std::uint64_t offset, std::byte* to, std::uint64_t bytes);

/// The device to which a write of the application's may go past the shadow: the one that is likely to use the bytes.
std::optional<std::uint32_t> direct_target(Storage& to, const std::byte* from, std::uint64_t bytes);

/// Writes bytes of the application's to a buffer: those of a write of more than 1 MiB to the devices that are likely to
/// use them next; all others to the shadow, unless the shadow has the same bytes already. Ranges locked by the caller.
/// Blocks only above 1 MiB.
Status write_bytes(Storage& to, std::uint64_t offset, const std::byte* from, std::uint64_t bytes);

/// Fills `bytes` bytes at `target`, in host memory, with repetitions of `pattern`.
void repeat_pattern(std::byte* target, std::uint64_t bytes, const std::vector<std::byte>& pattern);

}  // namespace skmd::icd
