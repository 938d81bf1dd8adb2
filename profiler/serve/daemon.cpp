// SPDX-License-Identifier: Apache-2.0
#include "profiler/serve/daemon.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "profiler/exec.h"
#include "profiler/serve/serve_constants.h"
#include "profiler/socket_constants.h"

namespace skmd::profiler {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

sockaddr_in socket_address(std::uint32_t ip, unsigned port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = htonl(ip);
  result.sin_port = htons(static_cast<std::uint16_t>(port));
  return result;
}

template <class Address>
bool accepts_at(const Address& to) {
  const auto* const any = reinterpret_cast<const sockaddr*>(&to);
  const int descriptor = socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  const bool result = connect(descriptor, any, sizeof to) == 0;
  close(descriptor);
  return result;
}

bool accepts(const ListenAddress& address) {
  if (address.folder.empty())
    return accepts_at(socket_address(address.ip == 0 ? INADDR_LOOPBACK : address.ip, address.port));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  // The stream's socket is made last.
  const std::string path = address.folder + "/" + kStreamSocket;
  std::strncpy(to.sun_path, path.c_str(), sizeof to.sun_path - 1);
  return accepts_at(to);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("was ended by a signal: ") + strsignal(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

[[noreturn]] void become(const std::vector<std::string>& command, const sigset_t& mask, pid_t parent) {
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const std::vector<char*> arguments = exec_arguments(command);
  execv(arguments[0], arguments.data());
  _exit(127);
}

/// One process of the daemon, and the signals of this one. They are blocked, and taken where it waits.
class Keeper {
 public:
  explicit Keeper(const Daemon& daemon) : daemon_(daemon), input_(daemon.until_eof ? STDIN_FILENO : -1) {
    sigemptyset(&waited_);
    // SIGPIPE: what read our lines has ended.
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGCHLD}) sigaddset(&waited_, signal);
    sigprocmask(SIG_BLOCK, &waited_, &before_);
    signals_ = signalfd(-1, &waited_, SFD_CLOEXEC | SFD_NONBLOCK);
    signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would make the daemon's status vanish
  }
  ~Keeper() {
    if (signals_ >= 0) close(signals_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  int run() {
    if (signals_ < 0) {
      daemon_.complain(std::string("cannot wait for signals: ") + std::strerror(errno));
      return 1;
    }
    milliseconds delay = kFirstDelay;
    bool served = false;
    while (!stopped_) {
      if (!launch()) return 1;
      const bool ready = until_ready();
      served = served || ready;
      const Clock::time_point start = Clock::now();
      while (process_ > 0 && !stopped_) wait(std::nullopt);
      if (stopped_) break;
      daemon_.complain("the daemon " + how_it_ended(status_) + (served ? "; it is started again" : ""));
      if (!served) return 1;
      delay = !ready || Clock::now() - start < kShortLife ? std::min(delay * 2, kLastDelay) : kFirstDelay;
      for (const auto end = Clock::now() + delay; !stopped_ && Clock::now() < end;) wait(kFirstDelay);
    }
    end_daemon();
    return failed_ ? 1 : 0;
  }

 private:
  bool launch() {
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) become(daemon_.command, before_, parent);
    if (process_ < 0) daemon_.complain(std::string("cannot start the daemon: ") + std::strerror(errno));
    return process_ > 0;
  }

  /// Takes a signal or the end of the input, or returns when the time is over.
  void wait(std::optional<milliseconds> time) {
    pollfd sources[] = {{signals_, POLLIN, 0}, {input_, POLLIN, 0}};
    if (poll(sources, 2, time ? static_cast<int>(time->count()) : -1) > 0) {
      signalfd_siginfo info{};
      if (sources[0].revents != 0 && read(signals_, &info, sizeof info) == sizeof info && info.ssi_signo != SIGCHLD)
        stopped_ = true;
      if (sources[1].revents != 0) read_input();
    }
    if (process_ > 0 && waitpid(process_, &status_, WNOHANG) == process_) process_ = 0;
  }

  /// What comes is of no interest, only its end.
  void read_input() {
    char bytes[256];
    const ssize_t got = read(input_, bytes, sizeof bytes);
    if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return;
    stopped_ = true;
    input_ = -1;  // poll() passes over it
  }

  /// True when it serves, false when it has ended or is to end.
  bool until_ready() {
    bool complained = false;
    while (process_ > 0 && !stopped_) {
      if (accepts(daemon_.address)) {
        const auto devices = daemon_.devices();
        if (devices && *devices > 0) {
          daemon_.serving(*devices);
          return true;
        }
        if (devices) {  // its drivers are loaded before it accepts
          daemon_.complain("the daemon finds no device");
          failed_ = stopped_ = true;
          return false;
        }
        if (!complained) daemon_.complain("the daemon does not serve yet: " + devices.error().reason);
        complained = true;
      }
      wait(kReadyInterval);
    }
    return false;
  }

  void end_daemon() {
    if (process_ <= 0) return;
    kill(process_, SIGTERM);
    for (const auto end = Clock::now() + kTermination; process_ > 0 && Clock::now() < end;) wait(kReadyInterval);
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
  }

  const Daemon& daemon_;
  int input_;         // -1: none
  int signals_ = -1;  // those of `waited_`
  sigset_t waited_{}, before_{};
  pid_t process_ = 0;  // 0: none
  int status_ = 0;
  bool stopped_ = false;
  bool failed_ = false;
};

}  // namespace

domain::Status can_listen(const ListenAddress& address) {
  for (unsigned port = address.port; port < address.port + kPorts; ++port) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return domain::Error{0, std::strerror(errno)};
    const int one = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    const sockaddr_in at = socket_address(address.ip, port);
    const bool ok =
        bind(descriptor, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && listen(descriptor, 1) == 0;
    const int error = errno;
    close(descriptor);
    if (!ok)
      return domain::Error{
          0, "cannot listen at " + address.host + ":" + std::to_string(port) + ": " + std::strerror(error)};
  }
  return {};
}

int keep_alive(const Daemon& daemon) { return Keeper(daemon).run(); }

}  // namespace skmd::profiler
