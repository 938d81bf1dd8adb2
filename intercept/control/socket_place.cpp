// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/socket_place.h"

#include <CL/cl.h>
#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "intercept/control/control_constants.h"

namespace skmd::icd::control {

namespace {

domain::Error refused(const std::string& what, int error) {
  return {CL_INVALID_VALUE, what + ": " + std::strerror(error)};
}

/// None: the path is too long for a socket.
std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// Also where the process is one of another container, whose number means nothing here.
bool is_left(const std::string& path) {
  struct stat found {};
  const auto address = address_of(path);
  if (!address || lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return false;
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return false;
  const bool left =
      connect(socket, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 && errno == ECONNREFUSED;
  close(socket);
  return left;
}

}  // namespace

domain::Status private_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return refused("cannot make the folder " + folder, errno);
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return refused(folder, errno);
  if (!S_ISDIR(found.st_mode)) return domain::Error{CL_INVALID_VALUE, folder + " is no folder"};
  if (found.st_uid != geteuid()) return domain::Error{CL_INVALID_VALUE, folder + " belongs to another user"};
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return domain::Error{CL_INVALID_VALUE, folder + " may be used by others: its mode has to be 0700"};
  return {};
}

void remove_stale(const std::string& folder) {
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    if (is_number && is_left(folder + "/" + name)) unlinkat(dirfd(entries), entry->d_name, 0);
  }
  closedir(entries);
}

domain::Result<int> listen_at(const std::string& path) {
  // It gets its name when it listens: before, it would seem to be left by another process.
  const std::size_t name = path.rfind('/') + 1;
  const std::string before = path.substr(0, name) + "." + path.substr(name);
  const auto address = address_of(before);
  if (!address) return refused(before, ENAMETOOLONG);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return refused("cannot make a socket", errno);
  unlink(before.c_str());
  if (bind(socket, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
      listen(socket, tuning::kWaitingClients) != 0 || rename(before.c_str(), path.c_str()) != 0) {
    const int error = errno;
    close(socket);
    unlink(before.c_str());
    return refused("cannot listen at " + path, error);
  }
  return socket;
}

}  // namespace skmd::icd::control
