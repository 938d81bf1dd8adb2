// SPDX-License-Identifier: Apache-2.0
#include "intercept/control/server.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include "intercept/backend/port/threads.h"
#include "intercept/control/control_constants.h"
#include "intercept/control/controller.h"
#include "intercept/control/running.h"
#include "intercept/control/socket_place.h"
#include "profiler/settings/control_place.h"

namespace skmd::icd::control {

namespace {

/// For exit(), where nothing of ours is there to ask: never freed.
struct OwnSocket {
  std::string path;
  pid_t process = 0;
};
const OwnSocket* own_socket = nullptr;

void remove_own_socket() {
  if (own_socket != nullptr && own_socket->process == getpid()) unlink(own_socket->path.c_str());
}

class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    timeval most{};
    most.tv_sec = tuning::kClientTime.count();
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The folder lets in no other user, unless its mode was changed since.
  [[nodiscard]] bool is_ours() const {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
  }
  [[nodiscard]] bool send_line(const std::string& text) const { return settings::send_all(socket_, text + "\n"); }
  /// Without its end; false: none came.
  [[nodiscard]] bool receive_line(std::string& line) const {
    while (line.size() <= settings::kLongestCommand) {
      char bytes[4096];
      const ssize_t more = recv(socket_, bytes, sizeof bytes, 0);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return false;
      line.append(bytes, static_cast<std::size_t>(more));
      if (const auto end = line.find('\n'); end != std::string::npos) {
        line.resize(end);
        return true;
      }
    }
    return false;
  }

 private:
  const int socket_;
};

void serve_client(Controller& controller, const Connection& connection) {
  if (!connection.is_ours()) return;
  std::string line;
  try {
    if (connection.send_line("{\"skmd_control\":" + std::to_string(settings::kControlVersion) +
                             ",\"pid\":" + std::to_string(getpid()) + "}") &&
        connection.receive_line(line))
      (void)connection.send_line(controller.answer(line));
  } catch (const std::exception&) {  // bad_alloc: the client sees that there is no answer
  }
}

void serve_all(int socket, Machine& machine, Controller& controller) {
  for (;;) {
    const int client = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (client < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
      std::this_thread::sleep_for(tuning::kClientTime);
      continue;
    }
    if (client < 0) return;
    try {
      // A command may wait for launches, and `status` is to be answered meanwhile.
      const auto connection = std::make_shared<Connection>(client);
      machine.executor->post([connection, &controller] { serve_client(controller, *connection); });
    } catch (const std::exception&) {  // no memory: the client sees that there is no answer
    }
  }
}

std::string own_name() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).filename().string();
}

}  // namespace

Status serve(Machine& machine, const std::string& folder) {
  const auto path = settings::control_socket(folder, getpid());
  if (!path) return path.error();
  if (Status status = private_folder(folder); !status) return status;
  remove_stale(folder);
  const auto socket = listen_at(*path);
  if (!socket) return socket.error();
  // Never destroyed, as all of this: other threads may still use it at exit.
  static auto* controller = new Controller(machine, own_name());
  control_launches(machine);  // before the first client
  try {
    quiet_thread([socket = *socket, &machine] { serve_all(socket, machine, *controller); }).detach();
  } catch (const std::exception&) {
    close(*socket);
    unlink(path->c_str());
    return domain::Error{CL_OUT_OF_HOST_MEMORY, "the system gives no thread"};
  }
  own_socket = new OwnSocket{*path, getpid()};
  std::atexit(remove_own_socket);
  return {};
}

}  // namespace skmd::icd::control
