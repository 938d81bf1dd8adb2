// SPDX-License-Identifier: Apache-2.0
// The folder in which a daemon has its sockets.
#pragma once

#include <string>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// A folder that this makes, that its user alone may enter, and that lives as long as this.
class SocketFolder {
 public:
  SocketFolder() = default;
  ~SocketFolder();
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;

  /// Makes the folder, of mode 0700. An error where something of that name is there already, which may be another
  /// user's, or its parent does not allow it. Once for each object.
  domain::Status make(const std::string& path);

 private:
  std::string path_;  // "": none was made
};

}  // namespace skmd::profiler
