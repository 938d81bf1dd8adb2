// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_arguments.h"

#include <algorithm>
#include <cstring>

#include "intercept/backend/port/image_layout.h"
#include "intercept/memory/storage.h"

namespace skmd::icd {
namespace {

const ImageShape& shape_of(const ImageView& view) {
  return view.over_buffer ? *view.over_buffer : *view.storage->shape();
}

std::uint64_t row_bytes_of(const ImageView& view) {
  const ImageLayout layout = tight_layout(shape_of(view));
  return layout.extent[1] * layout.extent[2] == 1 ? layout.element_bytes : layout.row_pitch;
}

}  // namespace

domain::ImageGeometry geometry_of(const ImageView& view) {
  const ImageShape& shape = shape_of(view);
  const ImageLayout layout = tight_layout(shape);
  domain::ImageGeometry geometry;
  std::copy(layout.extent.begin(), layout.extent.end(), geometry.extent);
  geometry.element_bytes = layout.element_bytes;
  geometry.row_pitch = layout.row_pitch;
  geometry.slice_pitch = layout.slice_pitch;
  // A two-dimensional image over a buffer has the pitch that it was made with.
  if (view.over_buffer && shape.desc.image_row_pitch != 0) geometry.row_pitch = shape.desc.image_row_pitch;
  return geometry;
}

LaunchArguments::LaunchArguments(const Launch& launch, const std::vector<domain::RootView>& views,
                                 const std::vector<std::uint64_t>& root_bytes)
    : arguments_(launch.arguments.size()), views_(views), root_bytes_(root_bytes), rows_(root_bytes.size()) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    Argument& own = arguments_[i];
    const LaunchArgument& argument = launch.arguments[i];
    own.bytes_in_root = std::holds_alternative<BufferView>(argument) || std::holds_alternative<NullPointer>(argument) ||
                        std::holds_alternative<ImageView>(argument);
    if (const auto* view = std::get_if<BufferView>(&argument)) {
      own.bytes = view->size + view->before;
      own.before = view->before;
    }
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) own.value = *value;
    if (const auto* image = std::get_if<ImageView>(&argument)) {
      own.bytes = image->over_buffer ? image->size : image->storage->bytes();
      const domain::ImageGeometry geometry = geometry_of(*image);
      own.value.resize(sizeof geometry);
      std::memcpy(own.value.data(), &geometry, sizeof geometry);
      if (!image->over_buffer) rows_[views_[i].root] = row_bytes_of(*image);
    }
  }
  for (const Argument& own : arguments_) values_.push_back({own.bytes_in_root, own.bytes, own.value, own.before});
  for (std::size_t i = 0; i < views_.size(); ++i) views_[i].offset -= arguments_[i].before;
}

}  // namespace skmd::icd
