// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <vector>

#include "compiler/client/client_constants.h"
#include "compiler/client/codec.h"
#include "compiler/client/exec_arguments.h"

#define SKMD_BARE __attribute__((no_sanitize("address", "thread", "undefined")))

/// glibc's clone by its other name: ThreadSanitizer takes every `clone` for a fork, and after one that shares our
/// memory it has forgotten all other threads. NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" int __clone(int (*run)(void*), void* stack_end, int flags, void* argument, ...);

namespace skmd::compiler {
namespace {

using Clock = std::chrono::steady_clock;
using domain::Error;
using domain::Result;

class Handle {
 public:
  Handle() = default;
  explicit Handle(int number) : number_(number) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  void reset() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  /// Applications close 0, 1 and 2; text printed to these descriptors would then go into our pipe.
  bool move_above_standard() {
    if (number_ > 2) return true;
    if (number_ < 0) return false;
    Handle higher(::fcntl(number_, F_DUPFD_CLOEXEC, 3));
    std::swap(number_, higher.number_);
    return number_ >= 0;
  }

 private:
  int number_ = -1;
};

struct Start {
  const char* path = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int input = -1, output = -1, errors = -1;
  char* stack_end = nullptr;
  long descriptor_limit = 0;  // for a kernel without close_range
  rlimit cpu{}, memory{};
  int error = 0;  // errno of what failed
  pid_t pid = -1;
  int pid_handle = -1;
};

/// System calls without libc's wrappers: sanitizers replace those, and keep books of them in the memory we share.
template <class... Arguments>
SKMD_BARE long raw(long number, Arguments... arguments) {
  return ::syscall(number, arguments...);
}

SKMD_BARE void close_from(int first, long limit) {
  if (raw(SYS_close_range, first, ~0U, 0) == 0) return;
  for (long handle = first; handle < limit; ++handle) raw(SYS_close, handle);
}

/// The helper before it is the helper. Shares our memory: nothing but system calls.
SKMD_BARE int become_helper(void* argument) {
  auto* start = static_cast<Start*>(argument);
  constexpr int kSignalSetBytes = (NSIG - 1) / 8;  // a bit for each signal, as the kernel has them
  const char by_default[64] = {};  // the kernel's struct sigaction: SIG_DFL, no flags, no signal blocked
  for (int signal = 1; signal < NSIG; ++signal) {
    raw(SYS_rt_sigaction, signal, by_default, nullptr, kSignalSetBytes);
  }
  raw(SYS_prlimit64, 0, RLIMIT_CPU, &start->cpu, nullptr);
  raw(SYS_prlimit64, 0, RLIMIT_AS, &start->memory, nullptr);
  const char none[kSignalSetBytes] = {};
  if (raw(SYS_dup3, start->input, 0, 0) >= 0 && raw(SYS_dup3, start->output, 1, 0) >= 0 &&
      raw(SYS_dup3, start->errors, 2, 0) >= 0) {
    close_from(3, start->descriptor_limit);
    raw(SYS_rt_sigprocmask, SIG_SETMASK, none, nullptr, kSignalSetBytes);
    raw(SYS_execve, start->path, start->arguments, start->environment);
  }
  start->error = errno;
  raw(SYS_exit_group, 127);
  return 0;
}

/// Stands between us and the helper and ends at once, so that init and not the application is the helper's parent:
/// execve turns a silent child into one with SIGCHLD, but a grandchild's end is not reported to this process.
SKMD_BARE int stand_between(void* argument) {
  auto* start = static_cast<Start*>(argument);
  start->pid = __clone(become_helper, start->stack_end, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, start,
                       &start->pid_handle);
  if (start->pid < 0 && errno == EINVAL) {
    start->pid = __clone(become_helper, start->stack_end, CLONE_VM | CLONE_VFORK | SIGCHLD, start);
  }
  if (start->pid < 0) start->error = errno;
  raw(SYS_exit_group, 0);
  return 0;
}

/// `soft`, or what the application has left itself of this resource.
rlimit limited(int resource, rlim_t soft, rlim_t hard) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  (void)::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  return {std::min(limit.rlim_cur, soft), std::min(limit.rlim_max, hard)};
}

void start_helper(Start& start) {
  std::vector<char> stacks(2 * tuning::kStackBytes + 64);
  const auto aligned = [](char* at) {
    return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(at) & ~std::uintptr_t{15});
  };
  start.stack_end = aligned(stacks.data() + stacks.size());
  start.descriptor_limit = std::min(::sysconf(_SC_OPEN_MAX), 65536L);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  // A handler of the application's must not run in a process that borrows its memory.
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  // Shares descriptors, so that the helper's process handle arrives here; without a signal at its end.
  const pid_t between = __clone(stand_between, aligned(stacks.data() + tuning::kStackBytes),
                                CLONE_VM | CLONE_VFORK | CLONE_FILES, &start);
  if (between < 0) start.error = errno;
  // A wait for any child in another thread may have reaped it: no harm.
  while (between > 0 && ::waitpid(between, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::string explained(int error) { return std::generic_category().message(error); }

/// A file in memory, read from its beginning: unlike a pipe, writing it can neither block nor raise SIGPIPE.
Handle in_memory(const std::string& bytes) {
  Handle file(::memfd_create("skmd-request", MFD_CLOEXEC));
  if (!file.move_above_standard()) return {};
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(file.number(), bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return {};
    done += static_cast<std::size_t>(put);
  }
  if (::lseek(file.number(), 0, SEEK_SET) != 0) return {};
  return file;
}

void kill_helper(const Start& start) {
  if (start.pid_handle >= 0 && ::syscall(SYS_pidfd_send_signal, start.pid_handle, SIGKILL, nullptr, 0) == 0) return;
  // Without a process handle: it still holds the pipe, so the number is still its own.
  if (start.pid_handle < 0) ::kill(start.pid, SIGKILL);
}

enum class Drained { open, ended };

/// Takes what is there. `ended`: no more will come.
Drained drain(int pipe, std::string& bytes) {
  char chunk[65536];
  for (;;) {
    const ssize_t got = ::read(pipe, chunk, sizeof chunk);
    if (got > 0) {
      bytes.append(chunk, static_cast<std::size_t>(got));
    } else if (got == 0) {
      return Drained::ended;
    } else if (errno != EINTR) {
      return errno == EAGAIN ? Drained::open : Drained::ended;
    }
  }
}

Result<std::string> receive(int pipe, const Start& start, const std::string& name, const HelperLimits& limits) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(limits.seconds);
  std::string bytes;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched[2] = {{pipe, POLLIN, 0}, {start.pid_handle, POLLIN, 0}};
    const int ready = left <= 0 ? 0 : ::poll(watched, 2, static_cast<int>(std::min<long long>(left + 1, 1000000)));
    if (ready < 0 && errno != EINTR) return Error{0, "waiting for " + name + " failed: " + explained(errno)};
    if (ready == 0 && Clock::now() >= deadline) {
      kill_helper(start);
      return Error{kNoAnswerInTime, name + " gave no answer within " + std::to_string(limits.seconds) + " s"};
    }
    if (ready <= 0) continue;
    // Its end is looked at before the pipe is emptied: what it wrote before it ended is in there by then. A fork of the
    // application's may hold the pipe open for ever.
    const bool ended = watched[1].revents != 0;
    const Drained drained = drain(pipe, bytes);
    if (frame_ended(bytes)) return bytes;
    if (ended || drained == Drained::ended) {
      return Error{0, name + " ended without an answer (a crash, or no memory)"};
    }
  }
}

}  // namespace

bool file_may_have(std::uint64_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

Result<std::string> run_helper(const HelperProgram& program, const std::string& input, const HelperLimits& limits) {
  const std::string name = program.path.substr(program.path.rfind('/') + 1);
  if (!file_may_have(input.size())) {
    return Error{0, "a request of " + std::to_string(input.size()) + " bytes to " + name +
                        " is above the process's limit of file sizes (RLIMIT_FSIZE)"};
  }
  const Handle request = in_memory(input);
  int ends[2] = {-1, -1};
  if (!request.open() || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Error{0, "no descriptors for " + name + ": " + explained(errno)};
  }
  Handle reading(ends[0]);
  Handle writing(ends[1]);
  Handle nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!reading.move_above_standard() || !writing.move_above_standard() || !nowhere.move_above_standard()) {
    return Error{0, "no descriptors for " + name + ": " + explained(errno)};
  }
  // The helper writes the ordinary way; the mark belongs to the pipe's end, not to the descriptor.
  ::fcntl(writing.number(), F_SETFL, ::fcntl(writing.number(), F_GETFL) & ~O_NONBLOCK);

  std::vector<std::string> arguments = program.arguments;
  arguments.insert(arguments.begin(), name);
  const std::vector<char*> argument_list = exec_arguments(arguments);
  const std::vector<char*> environment_list = exec_arguments(program.environment);
  Start start{program.path.c_str(), argument_list.data(), environment_list.data(),
              request.number(),     writing.number(),     nowhere.number()};
  // At the soft limit the helper says so; beyond the hard one it is killed.
  start.cpu = limited(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + tuning::kSecondsForCrashReport);
  start.memory = limited(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes);
  start_helper(start);
  const Handle process(start.pid_handle);
  writing.reset();
  if (start.error != 0) return Error{0, "cannot start " + program.path + ": " + explained(start.error)};
  return receive(reading.number(), start, name, limits);
}

}  // namespace skmd::compiler
