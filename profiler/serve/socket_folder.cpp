// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/socket_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "profiler/serve/serve_constants.h"
#include "profiler/socket_constants.h"

namespace skmd::profiler {

domain::Status SocketFolder::make(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0)
    return domain::Error{0, "cannot make the folder " + path + ": " + std::strerror(errno)};
  path_ = path;
  return {};
}

SocketFolder::~SocketFolder() {
  if (path_.empty()) return;
  for (const char* socket : {kCommandSocket, kStreamSocket}) unlink((path_ + "/" + socket).c_str());
  rmdir(path_.c_str());
}

}  // namespace skmd::profiler
