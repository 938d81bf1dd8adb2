// SPDX-License-Identifier: Apache-2.0
// The arguments of a launch without the objects that they name: values, and where what they reach lies in the roots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "intercept/object/launch.h"
#include "partitioner/footprint/footprint.h"
#include "partitioner/footprint/roots.h"
#include "partitioner/traits/image_geometry.h"

namespace skmd::icd {

/// Extent and pitches of an image that a kernel is given.
domain::ImageGeometry geometry_of(const ImageView& view);

/// Immutable.
class LaunchArguments {
 public:
  /// `views` and `root_bytes`: the roots in order of appearance.
  LaunchArguments(const Launch& launch, const std::vector<domain::RootView>& views,
                  const std::vector<std::uint64_t>& root_bytes);
  LaunchArguments(const LaunchArguments&) = delete;
  LaunchArguments& operator=(const LaunchArguments&) = delete;

  [[nodiscard]] std::size_t count() const { return arguments_.size(); }
  /// Bytes of argument `i`'s root that it reaches, those before its own address included.
  [[nodiscard]] std::uint64_t bytes(std::size_t i) const { return arguments_[i].bytes; }
  [[nodiscard]] std::uint64_t before(std::size_t i) const { return arguments_[i].before; }
  /// Per argument: the root, and where in it that begins what the argument reaches.
  [[nodiscard]] const std::vector<domain::RootView>& views() const { return views_; }
  /// Per argument, as footprints are evaluated.
  [[nodiscard]] const std::vector<domain::ArgumentView>& values() const { return values_; }

  [[nodiscard]] std::size_t roots() const { return root_bytes_.size(); }
  [[nodiscard]] std::uint64_t root_bytes(std::size_t root) const { return root_bytes_[root]; }
  /// The unit in which parts of an image are kept apart that are not a few rectangles, bytes; 0: a buffer.
  [[nodiscard]] std::uint64_t row_bytes(std::size_t root) const { return rows_[root]; }

 private:
  struct Argument {
    std::vector<std::byte> value;
    bool bytes_in_root = false;  // a buffer or an image
    std::uint64_t bytes = 0;
    std::uint64_t before = 0;
  };
  std::vector<Argument> arguments_;
  std::vector<domain::RootView> views_;
  std::vector<domain::ArgumentView> values_;  // of `arguments_`
  std::vector<std::uint64_t> root_bytes_;
  std::vector<std::uint64_t> rows_;  // per root
};

}  // namespace skmd::icd
