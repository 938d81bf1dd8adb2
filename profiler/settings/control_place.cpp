// SPDX-License-Identifier: Apache-2.0
#include "profiler/settings/control_place.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

#include "profiler/settings/variables.h"

namespace skmd::settings {

domain::Result<std::optional<std::string>> control_folder(const std::string& value, const std::string& runtime_folder,
                                                          unsigned user) {
  using Folder = std::optional<std::string>;
  if (value.empty() || value == "0") return Folder();
  if (value.front() == '/') return Folder(value);
  if (value != "1") return domain::Error{-1, expected(kControl, value, "0, 1 or the absolute path of a folder")};
  if (!runtime_folder.empty() && runtime_folder.front() == '/') return Folder(runtime_folder + "/skmd");
  return Folder("/tmp/skmd-" + std::to_string(user));
}

domain::Result<std::string> control_socket(const std::string& folder, long process) {
  std::string path = folder + "/" + std::to_string(process);
  // The driver makes it with a dot before its name.
  constexpr std::size_t kLongest = sizeof(sockaddr_un::sun_path) - 1 - 1;
  if (path.size() <= kLongest) return path;
  return domain::Error{-1, path + " has " + std::to_string(path.size()) +
                               " characters, and the path of a socket at most " + std::to_string(kLongest)};
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace skmd::settings
