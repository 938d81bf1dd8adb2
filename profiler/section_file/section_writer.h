// SPDX-License-Identifier: Apache-2.0
// Writes a file of sections (format.h), which is there as a whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/result.h"
#include "profiler/section_file/checksum.h"

namespace skmd::section_file {

/// Bytes of a section, one part behind the other.
using Parts = std::vector<std::span<const std::byte>>;

/// Used by one thread. After an error nothing but the destructor may be called. Every error names the file, and why the
/// system refuses it.
class SectionWriter {
 public:
  /// A file for `path` under another name in its folder, where one of the same process and name may be left.
  static domain::Result<SectionWriter> create(const std::string& path, std::uint32_t kind);
  SectionWriter(SectionWriter&& other) noexcept;
  SectionWriter& operator=(SectionWriter&&) = delete;
  /// Removes what was not finished.
  ~SectionWriter();

  /// The next section, of an id above 0. Large parts are not copied. Blocks.
  domain::Status add(std::uint32_t id, const Parts& parts);
  domain::Status add(std::uint32_t id, std::string_view bytes);
  /// Writes the end, waits until the medium has all of it, and gives the file its name, under which another one may
  /// have been. Returns its bytes.
  domain::Result<std::uint64_t> finish();

 private:
  SectionWriter(std::string path, std::string before, int file)
      : path_(std::move(path)), before_(std::move(before)), file_(file) {}
  [[nodiscard]] domain::Error refused(const char* what, int error) const;
  domain::Status write_header(std::uint32_t id, std::uint64_t length);
  domain::Status write_part(std::span<const std::byte> part, Checksum& sum);
  domain::Status write_out(std::span<const std::byte> bytes);
  domain::Status flush_small();

  std::string path_, before_;
  int file_;
  std::uint32_t next_ = 0;
  std::uint64_t written_ = 0, begun_ = 0;  // bytes; `begun_`: which the system was told to bring to the medium
  std::vector<std::byte> small_;
};

}  // namespace skmd::section_file
