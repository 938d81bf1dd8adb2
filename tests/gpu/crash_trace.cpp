// SPDX-License-Identifier: Apache-2.0
// Loaded into programs by LD_PRELOAD: says on standard error where a signal ended them. For machines that keep no cores
// and have no debugger; addresses are relative to each library, so that a build with symbols resolves them (addr2line).
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
// The stack may be what overflowed.
std::array<std::byte, std::size_t{1} << 16> stack;

void tell(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void trace(int signal, siginfo_t*, void*) {
  tell("crash: ");
  tell(sigabbrev_np(signal));
  tell("\n");
  std::array<void*, 64> frames{};
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  raise(signal);  // the old way, which SA_RESETHAND brought back
}

[[gnu::constructor]] void watch() {
  std::array<void*, 1> frame{};
  backtrace(frame.data(), frame.size());  // loads what it needs now, not in a handler
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = trace;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace
