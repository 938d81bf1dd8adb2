// SPDX-License-Identifier: Apache-2.0
// The layout of a file of sections, little endian.
//
//   file     header, sections, end
//   header   magic, version of this layout, kind of the contents, 0, checksum of what stands before it
//   section  id, number (0, 1, …), length, 0, checksum of what stands before it; `length` bytes; their checksum
//   end      a section of id 0 and no bytes; nothing stands behind it
//
// A file that was cut off lacks its end, wherever that happened.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace skmd::section_file {

static_assert(std::endian::native == std::endian::little, "fields are written as they lie in memory");

inline constexpr std::array<char, 8> kMagic{'S', 'K', 'M', 'D', 's', 'e', 'c', 't'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kEnd = 0;  // the id of the last section

struct FileHeader {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t kind = 0;
  std::uint64_t unused = 0;
  std::uint64_t checksum = 0;
};
struct SectionHeader {
  std::uint32_t id = 0;
  std::uint32_t number = 0;
  std::uint64_t length = 0;
  std::uint64_t unused = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(FileHeader) == 32 && sizeof(SectionHeader) == 32, "no byte is padding");

/// Bytes of a section besides its own.
inline constexpr std::uint64_t kFrameBytes = sizeof(SectionHeader) + sizeof(std::uint64_t);

}  // namespace skmd::section_file
