// SPDX-License-Identifier: Apache-2.0
#include "profiler/section_file/section_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "profiler/section_file/checksum.h"
#include "profiler/section_file/format.h"
#include "profiler/section_file/section_file_constants.h"

namespace skmd::section_file {

namespace {

using domain::Error;
using domain::Result;
using domain::Status;

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

template <class Header>
bool is_whole(const Header& header) {
  const auto all = std::as_bytes(std::span(&header, 1));
  return header.checksum == checksum_of(all.first(all.size() - sizeof header.checksum));
}

/// The bytes [begin, end) of what `parts` are together.
Places cut(const Places& parts, std::uint64_t begin, std::uint64_t end) {
  Places found;
  std::uint64_t at = 0;
  for (const auto& part : parts) {
    const std::uint64_t first = std::max(begin, at);
    const std::uint64_t last = std::min(end, at + part.size());
    if (first < last) found.push_back(part.subspan(first - at, last - first));
    at += part.size();
    if (at >= end) break;
  }
  return found;
}

}  // namespace

SectionReader::SectionReader(SectionReader&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      name_(std::move(other.name_)),
      size_(other.size_),
      at_(other.at_),
      next_(other.next_),
      begin_(other.begin_),
      length_(other.length_) {}

SectionReader::~SectionReader() {
  if (file_ >= 0) close(file_);
}

Result<SectionReader> SectionReader::open(const std::string& path, std::uint32_t kind) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe is refused, not waited for
  if (file < 0) return Error{-1, path + ": cannot be read: " + std::strerror(errno)};
  return on(file, path, kind);
}

Result<SectionReader> SectionReader::on(int file, std::string name, std::uint32_t kind) {
  SectionReader reader(file, std::move(name), 0);
  struct stat found {};
  if (fstat(file, &found) != 0) return Error{-1, reader.name_ + ": cannot be read: " + std::strerror(errno)};
  if (!S_ISREG(found.st_mode)) return Error{-1, reader.name_ + ": is no regular file"};
  reader.size_ = static_cast<std::uint64_t>(found.st_size);
  if (Status status = reader.check_header(kind); !status) return status.error();
  return reader;
}

Status SectionReader::check_header(std::uint32_t kind) {
  const auto refused = [&](const std::string& why) { return Error{-1, name_ + ": header at byte 0: " + why}; };
  FileHeader header;
  if (size_ < sizeof header)
    return refused("the file has " + std::to_string(size_) + " bytes, and a header " + std::to_string(sizeof header));
  if (Status status = read_at(0, bytes_of(header)); !status) return status;
  if (header.magic != kMagic) return refused("this is no file of SKMD's");
  if (header.version != kVersion)
    return refused("it is of version " + std::to_string(header.version) + ", and this SKMD reads version " +
                   std::to_string(kVersion));
  if (!is_whole(header) || header.unused != 0) return refused("the checksum does not match");
  if (header.kind != kind)
    return refused("it holds contents of kind " + std::to_string(header.kind) + ", and kind " + std::to_string(kind) +
                   " is wanted");
  at_ = sizeof header;
  return {};
}

Error SectionReader::wrong(const std::string& what) const {
  return {-1, name_ + ": section " + std::to_string(next_ - 1) + " at byte " + std::to_string(begin_) + ": " + what};
}

Status SectionReader::read_at(std::uint64_t at, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t done = pread(file_, to.data(), to.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      return Error{-1, name_ + ": cannot be read at byte " + std::to_string(at) + ": " + std::strerror(errno)};
    if (done == 0) return Error{-1, name_ + ": ends at byte " + std::to_string(at) + " while it is read"};
    to = to.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
  return {};
}

Result<std::uint64_t> SectionReader::next(std::uint32_t id) {
  begin_ = at_;
  const std::uint32_t number = next_++;
  SectionHeader header;
  if (size_ - at_ < kFrameBytes) return wrong("the file ends before it, at byte " + std::to_string(size_));
  if (Status status = read_at(at_, bytes_of(header)); !status) return status.error();
  if (!is_whole(header) || header.unused != 0) return wrong("the checksum of its header does not match");
  if (header.number != number) return wrong("it has the number " + std::to_string(header.number));
  if (header.id != id)
    return wrong("it is of kind " + std::to_string(header.id) + ", and kind " + std::to_string(id) + " is wanted");
  if (header.length > size_ - at_ - kFrameBytes)
    return wrong("it is to have " + std::to_string(header.length) + " bytes, and the file ends at byte " +
                 std::to_string(size_));
  at_ += sizeof header;
  length_ = header.length;
  return length_;
}

Result<std::string> SectionReader::text() {
  std::string bytes(length_, '\0');
  if (Status status = read({std::as_writable_bytes(std::span(bytes.data(), bytes.size()))}); !status)
    return status.error();
  return bytes;
}

Status SectionReader::read(const Places& parts) {
  if (Status status = read_bytes(parts); !status) return status;
  at_ += length_ + sizeof(std::uint64_t);
  return {};
}

Status SectionReader::read_bytes(const Places& parts) {
  const std::uint64_t chunks = (length_ + kChunkBytes - 1) / kChunkBytes;
  std::vector<std::uint64_t> sums(chunks);
  std::atomic<std::uint64_t> next{0};
  std::vector<Status> states(tuning::kReaders);
  const auto work = [&](Status& status) noexcept {
    try {
      for (std::uint64_t chunk = next++; chunk < chunks && status; chunk = next++) {
        Checksum sum;
        std::uint64_t at = at_ + chunk * kChunkBytes;
        for (auto part : cut(parts, chunk * kChunkBytes, std::min(length_, (chunk + 1) * kChunkBytes))) {
          for (; !part.empty() && status; part = part.subspan(std::min(part.size(), tuning::kPieceBytes))) {
            const auto piece = part.first(std::min(part.size(), tuning::kPieceBytes));
            status = read_at(at, piece);
            sum.add(piece);
            at += piece.size();
          }
        }
        sums[chunk] = sum.finish_chunk();
      }
    } catch (const std::exception&) {  // bad_alloc
      status = Error{-1, "no host memory"};
    }
  };
  std::vector<std::thread> others;
  const unsigned threads = std::min<std::uint64_t>({tuning::kReaders, std::thread::hardware_concurrency(), chunks});
  try {
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { work(states[i]); });
  } catch (const std::system_error&) {  // this thread does their part
  }
  work(states[0]);
  for (std::thread& other : others) other.join();
  for (Status& status : states)
    if (!status) return std::move(status);
  Checksum sum;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    sum.add_chunk(sums[chunk], std::min(kChunkBytes, length_ - chunk * kChunkBytes));
  std::uint64_t stored = 0;
  if (Status status = read_at(at_ + length_, bytes_of(stored)); !status) return status;
  if (stored != sum.finish()) return wrong("the checksum of its bytes does not match");
  return {};
}

Status SectionReader::end() {
  const auto length = next(kEnd);
  if (!length) return length.error();
  if (*length != 0) return wrong("the last section is to be empty");
  if (Status status = read({}); !status) return status;
  if (at_ != size_) return wrong("the file goes on behind it");
  return {};
}

}  // namespace skmd::section_file
