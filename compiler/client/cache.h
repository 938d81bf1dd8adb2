// SPDX-License-Identifier: Apache-2.0
// Replies on disk, named by the content of their request. Their code will be executed, so only a folder and files of
// this user are used.
#pragma once

#include <optional>
#include <string>

#include "compiler/client/client_constants.h"
#include "compiler/client/codec.h"
#include "compiler/client/sweep.h"

namespace skmd::compiler {

/// The state of a file now; nothing if it cannot be read.
std::optional<Dependency> depend_on(const std::string& path);

class Cache {
 public:
  /// Creates `folder` with mode 0700 if it is missing. A folder that another user owns or may write is not used. The
  /// least recently used entries are removed when there are more than `limit` bytes, give or take a sixteenth.
  explicit Cache(const std::string& folder, std::uint64_t limit = tuning::kDefaultCacheBytes);

  /// Nothing if there is no entry, or it is damaged, or an included file has changed since. Relative names of included
  /// files start from `working_directory`.
  [[nodiscard]] std::optional<Reply> find(const std::string& key, const std::string& working_directory) const;

  /// Atomic, also if this process is killed: readers never see part of an entry. A failed write is not reported, since
  /// the cache is optional.
  void store(const std::string& key, const Reply& reply) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& key) const;
  std::string folder_;  // "": no cache
  std::uint64_t limit_;
};

}  // namespace skmd::compiler
