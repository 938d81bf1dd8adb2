// SPDX-License-Identifier: Apache-2.0
// Writes a file of sections (format.h), which is there as a whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "partitioner/base/result.h"
#include "profiler/section_file/checksum.h"
#include "profiler/section_file/new_file.h"

namespace skmd::section_file {

/// Bytes of a section, one part behind the other.
using Parts = std::vector<std::span<const std::byte>>;

/// Used by one thread. After an error nothing but the destructor may be called. Every error names the file, and why the
/// system refuses it.
class SectionWriter {
 public:
  static domain::Result<SectionWriter> create(const std::string& path, std::uint32_t kind);

  /// The next section, of an id above 0. Large parts are not copied. Blocks.
  domain::Status add(std::uint32_t id, const Parts& parts);
  domain::Status add(std::uint32_t id, std::string_view bytes);
  /// Writes the end, waits until the medium has all of it, and gives the file its name, under which another one may
  /// have been. Returns its bytes.
  domain::Result<std::uint64_t> finish();

 private:
  explicit SectionWriter(NewFile file) : file_(std::move(file)) {}
  domain::Status write_header(std::uint32_t id, std::uint64_t length);
  domain::Status write_part(std::span<const std::byte> part, Checksum& sum);
  domain::Status flush_small();

  NewFile file_;
  std::uint32_t next_ = 0;
  std::vector<std::byte> small_;
};

}  // namespace skmd::section_file
