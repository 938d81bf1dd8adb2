// SPDX-License-Identifier: Apache-2.0
// The file of a launch's checkpoint: its sections, and in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "profiler/checkpoint/launch_checkpoint.h"
#include "profiler/section_file/section_reader.h"
#include "profiler/section_file/section_writer.h"

namespace skmd::checkpoint {

/// Writes the file, as a whole or not at all. `bytes`: per buffer its defined bytes, where they are; they are not
/// copied. Returns the file's bytes. Blocks until the medium has them. Error: names the file, and why.
domain::Result<std::uint64_t> write_launch(const std::string& path, const LaunchCheckpoint& launch,
                                           const std::vector<section_file::Parts>& bytes);

/// A file that is read from its beginning to its end. Used by one thread.
class LaunchFile {
 public:
  /// Reads all but the bytes of buffers. Error: names the place in the file.
  static domain::Result<LaunchFile> open(const std::string& path);
  /// Of a file that is open, which is closed here.
  static domain::Result<LaunchFile> on(int file, std::string name);

  [[nodiscard]] const LaunchCheckpoint& launch() const { return launch_; }
  /// The defined bytes of the next buffer, from 0 on, to where they belong. After an error they hold anything.
  domain::Status read_buffer(const section_file::Places& places);
  /// Once all buffers were read: error if the file goes on.
  domain::Status end();

 private:
  explicit LaunchFile(section_file::SectionReader reader) : reader_(std::move(reader)) {}
  static domain::Result<LaunchFile> start(domain::Result<section_file::SectionReader> reader);
  domain::Status read_head();

  section_file::SectionReader reader_;
  LaunchCheckpoint launch_;
};

}  // namespace skmd::checkpoint
