// SPDX-License-Identifier: Apache-2.0
// Replies on disk, named by the content of their request. What lies there will be executed, so folder and files are
// believed only if they are ours.
#pragma once

#include <optional>
#include <string>

#include "compiler/client/codec.h"
#include "compiler/client/sweep.h"

namespace skmd::compiler {

/// The state of a file now; nothing if it cannot be read.
std::optional<Dependency> depend_on(const std::string& path);

class Cache {
 public:
  /// Creates `folder` with mode 0700 if it is missing. A folder of somebody else, or one that others may write, is not
  /// used. What was not used for longest goes when there are more than `limit` bytes, give or take a sixteenth.
  explicit Cache(const std::string& folder, std::uint64_t limit = kDefaultCacheBytes);

  /// Nothing if there is no entry, or it is damaged, or an included file has changed since. Relative names of included
  /// files start from `working_directory`.
  [[nodiscard]] std::optional<Reply> find(const std::string& key, const std::string& working_directory) const;

  /// Whole or not at all, whenever this process is killed: readers never see half an entry. Failure to write is silent,
  /// the cache is a convenience.
  void store(const std::string& key, const Reply& reply) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& key) const;
  std::string folder_;  // "": no cache
  std::uint64_t limit_;
};

}  // namespace skmd::compiler
