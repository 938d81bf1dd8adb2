// SPDX-License-Identifier: Apache-2.0
#include "profiler/control/control_client.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "profiler/control/control_client_constants.h"
#include "profiler/settings/control_place.h"

namespace skmd::profiler {

namespace {

using domain::Error;
using domain::Result;

class Connection {
 public:
  Connection() : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// 0, or errno.
  [[nodiscard]] int connect_to(const std::string& path) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    if (socket_ < 0 || connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return errno;
    return 0;
  }
  /// 0: for ever.
  void wait_at_most(long seconds) const {
    timeval most{};
    most.tv_sec = seconds;
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  }
  [[nodiscard]] bool send_line(const std::string& text) const { return settings::send_all(socket_, text + "\n"); }
  /// Without its end; "": none came.
  std::string receive_line() {
    for (;;) {
      if (const auto end = received_.find('\n'); end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      char bytes[4096];
      const ssize_t more = recv(socket_, bytes, sizeof bytes, 0);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) return "";
      received_.append(bytes, static_cast<std::size_t>(more));
    }
  }

 private:
  const int socket_;
  std::string received_;
};

}  // namespace

Result<std::string> ask(const std::string& folder, long process, const std::vector<std::string>& words) {
  const auto path = settings::control_socket(folder, process);
  if (!path) return path.error();
  const std::string who = "process " + std::to_string(process);
  const bool lives = kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
  if (!lives) return Error{-1, who + " does not run"};
  Connection connection;
  if (const int error = connection.connect_to(*path); error == ENOENT)
    return Error{-1, who + " has no socket in " + folder + ": it cannot be controlled without SKMD_CONTROL"};
  else if (error == ECONNREFUSED)
    return Error{-1, who + " does not listen at " + *path + ", which a former process left"};
  else if (error != 0)
    return Error{-1, *path + ": " + std::strerror(error)};
  connection.wait_at_most(tuning::kGreetingSeconds);
  if (connection.receive_line().find("\"skmd_control\":" + std::to_string(settings::kControlVersion)) ==
      std::string::npos)
    return Error{-1, who + " does not answer at " + *path + " as this version of SKMD does"};
  connection.wait_at_most(0);
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : "\t") + word;
  std::string answer;
  if (connection.send_line(line)) answer = connection.receive_line();
  if (answer.empty()) return Error{-1, who + " ended before it answered"};
  return answer;
}

}  // namespace skmd::profiler
