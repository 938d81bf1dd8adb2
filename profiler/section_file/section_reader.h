// SPDX-License-Identifier: Apache-2.0
// Reads a file of sections (format.h), of which nothing is believed before its checksum was right.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::section_file {

/// Where a section's bytes are to come, one part behind the other.
using Places = std::vector<std::span<std::byte>>;

/// Used by one thread. Every error names the file, the section, where it begins, and what is wrong with it. No length
/// is believed that the file has no room for.
class SectionReader {
 public:
  /// Error: it cannot be read, is no file of sections, or one of another version or kind.
  static domain::Result<SectionReader> open(const std::string& path, std::uint32_t kind);
  /// Of a file that is open; `name`: for errors. The reader closes it.
  static domain::Result<SectionReader> on(int file, std::string name, std::uint32_t kind);
  SectionReader(SectionReader&& other) noexcept;
  SectionReader& operator=(SectionReader&&) = delete;
  ~SectionReader();

  /// Begins the next section, which has to be of this id. Returns its bytes. Precondition: the one before was read.
  domain::Result<std::uint64_t> next(std::uint32_t id);
  /// All of the section that has begun.
  domain::Result<std::string> text();
  /// The same, to where it belongs. Several threads read a large section. Precondition: the parts have as many bytes as
  /// the section. After an error they hold anything.
  domain::Status read(const Places& parts);
  /// Bytes of the file behind the section that was read last.
  [[nodiscard]] std::uint64_t left() const { return size_ - at_; }
  /// Error: the file has further sections or other bytes, or was cut off. Precondition: the section before was read.
  domain::Status end();
  /// Of contents that are not what their section is to hold: names the section that was read last.
  [[nodiscard]] domain::Error wrong(const std::string& what) const;

 private:
  SectionReader(int file, std::string name, std::uint64_t size) : file_(file), name_(std::move(name)), size_(size) {}
  domain::Status read_at(std::uint64_t at, std::span<std::byte> to) const;
  domain::Status check_header(std::uint32_t kind);
  domain::Status read_bytes(const Places& parts);

  int file_;
  std::string name_;
  std::uint64_t size_, at_ = 0;
  std::uint32_t next_ = 0;    // number of the section that follows
  std::uint64_t begin_ = 0;   // of the last section's header
  std::uint64_t length_ = 0;  // of its bytes
};

}  // namespace skmd::section_file
