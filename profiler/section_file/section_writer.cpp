// SPDX-License-Identifier: Apache-2.0
#include "profiler/section_file/section_writer.h"

#include <algorithm>
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

}  // namespace

Result<SectionWriter> SectionWriter::create(const std::string& path, std::uint32_t kind) {
  auto file = NewFile::create(path, 0600);  // it has what buffers hold
  if (!file) return file.error();
  SectionWriter writer(std::move(*file));
  writer.small_.reserve(tuning::kPieceBytes);
  FileHeader header;
  header.kind = kind;
  sum_up(header);
  if (Status status = writer.file_.write(bytes_of(header)); !status) return status.error();
  return writer;
}

Status SectionWriter::flush_small() {
  Status status = file_.write(small_);
  small_.clear();
  return status;
}

Status SectionWriter::write_header(std::uint32_t id, std::uint64_t length) {
  SectionHeader header;
  header.id = id;
  header.number = next_++;
  header.length = length;
  sum_up(header);
  return file_.write(bytes_of(header));
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
    if (Status status = file_.write(piece); !status) return status;
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
  return file_.write(bytes_of(value));
}

Status SectionWriter::add(std::uint32_t id, std::string_view bytes) {
  return add(id, Parts{std::as_bytes(std::span(bytes.data(), bytes.size()))});
}

Result<std::uint64_t> SectionWriter::finish() {
  if (Status status = add(kEnd, Parts{}); !status) return status.error();
  if (Status status = file_.finish(); !status) return status.error();
  return file_.written();
}

}  // namespace skmd::section_file
