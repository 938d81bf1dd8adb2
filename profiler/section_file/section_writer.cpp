// SPDX-License-Identifier: Apache-2.0
#include "profiler/section_file/section_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "profiler/section_file/format.h"
#include "profiler/section_file/section_file_constants.h"

namespace skmd::section_file {

namespace {

using domain::Result;
using domain::Status;

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// Of the fields of a header before its checksum.
template <class Header>
void sum_up(Header& header) {
  header.checksum = checksum_of(bytes_of(header).first(sizeof header - sizeof header.checksum));
}

std::string folder_of(const std::string& path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string::npos) return ".";
  return name == 0 ? "/" : path.substr(0, name);
}

}  // namespace

SectionWriter::SectionWriter(SectionWriter&& other) noexcept
    : path_(std::move(other.path_)),
      before_(std::move(other.before_)),
      file_(std::exchange(other.file_, -1)),
      next_(other.next_),
      written_(other.written_),
      begun_(other.begun_),
      small_(std::move(other.small_)) {}

SectionWriter::~SectionWriter() {
  if (file_ < 0) return;
  close(file_);
  unlink(before_.c_str());
}

domain::Error SectionWriter::refused(const char* what, int error) const {
  return {-1, path_ + ": cannot be " + what + ": " + std::strerror(error)};
}

Result<SectionWriter> SectionWriter::create(const std::string& path, std::uint32_t kind) {
  const std::size_t name = path.rfind('/') + 1;  // 0 where there is no folder
  std::string before = path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid());
  const int file = open(before.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  SectionWriter writer(path, std::move(before), file);
  if (file < 0) return writer.refused("made", errno);
  writer.small_.reserve(tuning::kPieceBytes);
  FileHeader header;
  header.kind = kind;
  sum_up(header);
  if (Status status = writer.write_out(bytes_of(header)); !status) return status.error();
  return writer;
}

Status SectionWriter::write_out(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return refused("written", done < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    written_ += static_cast<std::uint64_t>(done);
  }
  if (written_ - begun_ >= tuning::kFlushedBytes) {
    // Where that is not possible, all is left to the flush at the end.
    (void)sync_file_range(file_, static_cast<off_t>(begun_), static_cast<off_t>(written_ - begun_),
                          SYNC_FILE_RANGE_WRITE);
    begun_ = written_;
  }
  return {};
}

Status SectionWriter::flush_small() {
  Status status = write_out(small_);
  small_.clear();
  return status;
}

Status SectionWriter::write_header(std::uint32_t id, std::uint64_t length) {
  SectionHeader header;
  header.id = id;
  header.number = next_++;
  header.length = length;
  sum_up(header);
  return write_out(bytes_of(header));
}

Status SectionWriter::write_part(std::span<const std::byte> part, Checksum& sum) {
  if (part.size() < tuning::kSmallPart) {
    sum.add(part);
    if (small_.size() + part.size() > tuning::kPieceBytes)
      if (Status status = flush_small(); !status) return status;
    small_.insert(small_.end(), part.begin(), part.end());
    return {};
  }
  if (Status status = flush_small(); !status) return status;
  while (!part.empty()) {
    const auto piece = part.first(std::min(part.size(), tuning::kPieceBytes));
    sum.add(piece);
    if (Status status = write_out(piece); !status) return status;
    part = part.subspan(piece.size());
  }
  return {};
}

Status SectionWriter::add(std::uint32_t id, const Parts& parts) {
  std::uint64_t length = 0;
  for (const auto& part : parts) length += part.size();
  if (Status status = write_header(id, length); !status) return status;
  Checksum sum;
  for (const auto& part : parts)
    if (Status status = write_part(part, sum); !status) return status;
  if (Status status = flush_small(); !status) return status;
  const std::uint64_t value = sum.finish();
  return write_out(bytes_of(value));
}

Status SectionWriter::add(std::uint32_t id, std::string_view bytes) {
  return add(id, Parts{std::as_bytes(std::span(bytes.data(), bytes.size()))});
}

Result<std::uint64_t> SectionWriter::finish() {
  if (Status status = add(kEnd, Parts{}); !status) return status.error();
  if (fsync(file_) != 0) return refused("written", errno);
  if (rename(before_.c_str(), path_.c_str()) != 0) return refused("renamed", errno);
  close(std::exchange(file_, -1));
  // The new name is on the medium with its folder. Some file systems cannot be told so, and do it by themselves.
  if (const int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    (void)fsync(folder);
    close(folder);
  }
  return written_;
}

}  // namespace skmd::section_file
