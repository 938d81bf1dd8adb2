// SPDX-License-Identifier: Apache-2.0
// A file that is there as a whole or not at all: written under another name in its folder, and renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "partitioner/base/result.h"

namespace skmd::section_file {

/// Used by one thread. Every error names the file, and why the system refuses it.
class NewFile {
 public:
  /// The other name is one that no file has. `mode`: of the file, less what the process's mask takes.
  static domain::Result<NewFile> create(const std::string& path, unsigned mode);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  /// Removes what was not finished.
  ~NewFile();

  /// Blocks.
  domain::Status write(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t written() const { return written_; }
  /// Waits until the medium has all of it, and gives the file its name, under which another one may have been. Nothing
  /// but the destructor may be called afterwards.
  domain::Status finish();

 private:
  NewFile(std::string path, std::string before, int file)
      : path_(std::move(path)), before_(std::move(before)), file_(file) {}
  [[nodiscard]] domain::Error refused(const char* what, int error) const;

  std::string path_, before_;
  int file_;
  std::uint64_t written_ = 0, begun_ = 0;  // bytes; `begun_`: which the system was told to bring to the medium
};

}  // namespace skmd::section_file
