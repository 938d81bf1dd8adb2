// SPDX-License-Identifier: Apache-2.0
#include "profiler/checkpoint/launch_file.h"

#include <utility>

#include "profiler/checkpoint/launch_codec.h"

namespace skmd::checkpoint {

namespace {

using domain::Error;
using domain::Result;
using domain::Status;
using section_file::SectionReader;
using section_file::SectionWriter;

constexpr std::uint32_t kLaunchKind = 1;                                   // of files
constexpr std::uint32_t kProgram = 1, kLaunch = 2, kRest = 3, kBytes = 4;  // of sections

}  // namespace

Result<std::uint64_t> write_launch(const std::string& path, const LaunchCheckpoint& launch,
                                   const std::vector<section_file::Parts>& bytes) {
  auto writer = SectionWriter::create(path, kLaunchKind);
  if (!writer) return writer.error();
  if (Status status = writer->add(kProgram, encode(launch.program)); !status) return status.error();
  if (Status status = writer->add(kLaunch, encode_launch(launch)); !status) return status.error();
  if (Status status = writer->add(kRest, encode(launch.rest)); !status) return status.error();
  for (const section_file::Parts& parts : bytes)
    if (Status status = writer->add(kBytes, parts); !status) return status.error();
  return writer->finish();
}

Result<LaunchFile> LaunchFile::start(Result<SectionReader> reader) {
  if (!reader) return reader.error();
  LaunchFile file(std::move(*reader));
  if (Status status = file.read_head(); !status) return status.error();
  return file;
}

Result<LaunchFile> LaunchFile::open(const std::string& path) { return start(SectionReader::open(path, kLaunchKind)); }

Result<LaunchFile> LaunchFile::on(int file, std::string name) {
  return start(SectionReader::on(file, std::move(name), kLaunchKind));
}

Status LaunchFile::read_head() {
  const auto section = [&](std::uint32_t id) -> Result<std::string> {
    if (const auto length = reader_.next(id); !length) return length.error();
    return reader_.text();
  };
  const auto program = section(kProgram);
  if (!program) return program.error();
  auto text = decode_program(*program);
  if (!text) return reader_.wrong(text.error().reason);
  launch_.program = std::move(*text);
  const auto launch = section(kLaunch);
  if (!launch) return launch.error();
  if (Status status = decode_launch(*launch, launch_); !status) return reader_.wrong(status.error().reason);
  std::uint64_t bytes = 0;
  for (const BufferBytes& buffer : launch_.buffers) {
    const std::uint64_t more = buffer.defined.bytes();
    if (more > reader_.left() - bytes)
      return reader_.wrong("a buffer has " + std::to_string(more) + " bytes, for which the file has no room");
    bytes += more;
  }
  const auto rest = section(kRest);
  if (!rest) return rest.error();
  auto groups = decode_rest(*rest, launch_.range.group_total());
  if (!groups) return reader_.wrong(groups.error().reason);
  launch_.rest = std::move(*groups);
  return {};
}

Status LaunchFile::read_buffer(const section_file::Places& places) {
  const auto length = reader_.next(kBytes);
  if (!length) return length.error();
  std::uint64_t wanted = 0;
  for (const auto& place : places) wanted += place.size();
  if (*length != wanted)
    return reader_.wrong("it has " + std::to_string(*length) + " bytes, and the buffer " + std::to_string(wanted));
  return reader_.read(places);
}

Status LaunchFile::end() { return reader_.end(); }

}  // namespace skmd::checkpoint
