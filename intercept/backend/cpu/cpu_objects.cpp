// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_objects.h"

#include <cstdlib>
#include <new>

#include "intercept/backend/port/image_layout.h"

namespace skmd::icd {
namespace {

// A page: the system hands out whole ones, and another driver over the same bytes wants its own alignment.
constexpr std::uint64_t kAlignment = 4096;

/// All but where its bytes are.
cpu::SpanImage described(const ImageShape& shape) {
  const ImageLayout layout = tight_layout(shape);
  cpu::SpanImage image;
  image.row_pitch = layout.row_pitch;
  image.slice_pitch = layout.slice_pitch;
  const unsigned count = dimensions(shape.desc.image_type) - (is_array(shape.desc.image_type) ? 1 : 0);
  image.width = static_cast<std::uint32_t>(shape.desc.image_width);
  if (count > 1) image.height = static_cast<std::uint32_t>(shape.desc.image_height);
  if (count > 2) image.depth = static_cast<std::uint32_t>(shape.desc.image_depth);
  if (is_array(shape.desc.image_type)) image.layers = static_cast<std::uint32_t>(shape.desc.image_array_size);
  image.order = shape.format.image_channel_order;
  image.type = shape.format.image_channel_data_type;
  image.element_bytes = static_cast<std::uint32_t>(shape.element_bytes);
  return image;
}

}  // namespace

std::shared_ptr<CpuMemory> CpuMemory::make(std::uint64_t bytes) {
  if (bytes > UINT64_MAX - kAlignment) return nullptr;
  const std::uint64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* const taken = static_cast<std::byte*>(std::aligned_alloc(kAlignment, whole));
  if (taken == nullptr) return nullptr;
  try {
    auto memory = std::make_shared<CpuMemory>(taken, bytes);
    memory->owned_ = true;
    return memory;
  } catch (...) {
    std::free(taken);
    throw;
  }
}

CpuMemory::~CpuMemory() {
  other_.reset();
  if (owned_) std::free(bytes);
}

Result<std::shared_ptr<NativeMemory>> CpuMemory::on(Device& other) {
  const MutexGuard lock(mutex_);
  if (other_ == nullptr) {
    auto made = other.allocate(size, bytes);
    if (!made) return made.error();
    other_ = std::move(*made);
  }
  return other_;
}

CpuImage::CpuImage(const ImageShape& shape, std::shared_ptr<CpuMemory> memory, bool over_buffer)
    : shape_(shape), memory_(std::move(memory)), over_buffer_(over_buffer), span_image_(described(shape)) {
  span_image_.bytes = memory_->bytes;
  if (!over_buffer) return;
  span_image_.bytes += shape.buffer_offset;
  // A two-dimensional image over a buffer has the pitch that it was made with.
  if (shape.desc.image_row_pitch != 0) span_image_.row_pitch = shape.desc.image_row_pitch;
}

std::shared_ptr<CpuImage> CpuImage::make(const ImageShape& shape) {
  auto memory = CpuMemory::make(tight_layout(shape).bytes());
  return memory == nullptr ? nullptr : std::make_shared<CpuImage>(shape, std::move(memory), false);
}

Result<std::shared_ptr<NativeMemory>> CpuImage::on(Device& other) {
  const MutexGuard lock(mutex_);
  if (other_ != nullptr) return other_;
  std::shared_ptr<NativeMemory> under;
  if (over_buffer_) {
    auto made = memory_->on(other);
    if (!made) return made.error();
    under = std::move(*made);
  }
  auto made = other.allocate_image(shape_, under);
  if (!made) return made.error();
  other_ = std::move(*made);
  return other_;
}

std::uint32_t CpuSampler::bits() const {
  std::uint32_t addressing = 0;  // CL_ADDRESS_NONE
  if (addressing_ == CL_ADDRESS_CLAMP_TO_EDGE) addressing = 2;
  if (addressing_ == CL_ADDRESS_CLAMP) addressing = 4;
  if (addressing_ == CL_ADDRESS_REPEAT) addressing = 6;
  if (addressing_ == CL_ADDRESS_MIRRORED_REPEAT) addressing = 8;
  return addressing | (normalized_ ? 1u : 0u) | (filter_ == CL_FILTER_LINEAR ? 0x20u : 0x10u);
}

}  // namespace skmd::icd
