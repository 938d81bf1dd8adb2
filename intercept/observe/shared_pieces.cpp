// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/shared_pieces.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace skmd::icd {

namespace {

// Sparse: only pages that are written exist.
constexpr std::uint32_t kFileBytes = 16u << 20;
constexpr std::uint32_t kFirstPiece = 64;
constexpr std::uint32_t kPieceHead = 16;

std::atomic_ref<std::uint32_t> used(char* base) {
  return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(base + 12));
}

std::atomic_ref<std::uint64_t> word(char* piece) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(piece + 8));
}

std::uint32_t capacity(const char* piece) {
  std::uint32_t value = 0;
  std::memcpy(&value, piece, sizeof value);
  return value;
}

}  // namespace

SharedPieces::~SharedPieces() {
  if (base_ != nullptr) munmap(base_, kFileBytes);
}

bool SharedPieces::open_in(const std::string& folder) {
  const std::string path = folder + "/" + std::to_string(getpid()) + ".pieces";
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  void* mapped = MAP_FAILED;
  if (ftruncate(descriptor, kFileBytes) == 0) {
    mapped = mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (mapped == MAP_FAILED) {
    unlink(path.c_str());
    return false;
  }
  base_ = static_cast<char*>(mapped);
  const std::uint32_t version = 1;
  std::memcpy(base_ + 8, &version, sizeof version);
  used(base_).store(kFirstPiece, std::memory_order_release);
  std::memcpy(base_, "SKMDPIEC", 8);
  return true;
}

SharedPieces::Piece SharedPieces::add(Kind kind, std::uint32_t capacity) {
  if (base_ == nullptr || capacity > kFileBytes / 4) return kNoPiece;
  capacity = (capacity + 7u) & ~7u;
  const std::uint32_t place = used(base_).load(std::memory_order_relaxed);
  const std::uint32_t bytes = kPieceHead + 2 * capacity;
  if (bytes > kFileBytes - place) return kNoPiece;
  char* piece = base_ + place;
  const auto kind_value = static_cast<std::uint32_t>(kind);
  std::memcpy(piece, &capacity, sizeof capacity);
  std::memcpy(piece + 4, &kind_value, sizeof kind_value);
  used(base_).store(place + bytes, std::memory_order_release);
  return place;
}

void SharedPieces::set(Piece piece, std::string_view text) {
  if (base_ == nullptr || piece == kNoPiece) return;
  char* at = base_ + piece;
  const std::uint32_t room = capacity(at);
  if (text.size() > room) return;
  const std::uint64_t other = 1 - (word(at).load(std::memory_order_relaxed) & 1);
  std::memcpy(at + kPieceHead + other * room, text.data(), text.size());
  word(at).store(text.size() * 2 + other, std::memory_order_release);
}

}  // namespace skmd::icd
