// SPDX-License-Identifier: Apache-2.0
#include "compiler/tool/crash_report.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <llvm/Support/ErrorHandling.h>

#include "compiler/client/codec.h"
#include "compiler/tool/tool_constants.h"

namespace skmd::compiler {
namespace {

struct Words {
  const char* bytes = nullptr;  // never freed: read at the end of the process
  std::size_t size = 0;
};

int answer_output = -1;
Words out_of_time, out_of_memory, out_of_stack;
std::atomic<const Words*> conservative{nullptr};
std::atomic<bool> spoken{false};
std::atomic<std::uintptr_t> stack_low{0};

Words keep(const std::string& text) {
  char* bytes = new char[text.size()];
  text.copy(bytes, text.size());
  return {bytes, text.size()};
}

Words refusal(const std::string& what) {
  Reply reply;
  reply.answer.outcome = Outcome::failed;
  reply.answer.log = "error: this program is too much for the compiler: " + what + "\n";
  return keep(frame(encode(reply)));
}

/// Nothing but system calls: runs in signal handlers.
[[noreturn]] void end_with(const Words* words) {
  // The conservative answer is valid after any failure.
  if (const Words* better = conservative.load()) words = better;
  if (spoken.exchange(true) || words == nullptr) ::_exit(1);
  std::size_t done = 0;
  while (done < words->size) {
    const ssize_t put = ::write(answer_output, words->bytes + done, words->size - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) ::_exit(1);
    done += static_cast<std::size_t>(put);
  }
  ::_exit(0);
}

void on_processor_time(int) {
  // The real answer is on its way; the hard limit is some seconds off.
  if (!spoken.load()) end_with(&out_of_time);
}

void on_crash(int, siginfo_t* info, void*) {
  const auto place = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t low = stack_low.load();
  const bool stack = (info->si_signo == SIGSEGV || info->si_signo == SIGBUS) && low != 0 &&
                     place + tuning::kStackEdgeBytes >= low && place < low + tuning::kStackEdgeBytes;
  end_with(stack ? &out_of_stack : nullptr);
}

void on_no_memory() { end_with(&out_of_memory); }
void on_llvm_no_memory(void*, const char*, bool) { end_with(&out_of_memory); }

/// Clang goes on in a new thread where a stack ends; that takes memory too.
void on_llvm_error(void*, const char* reason, bool) {
  end_with(std::strstr(reason, "pthread_create") != nullptr ? &out_of_memory : nullptr);
}

void handle(int signal, void (*run)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = run;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

unsigned long limit_of(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? 0 : limit.rlim_cur;
}

}  // namespace

Limits own_limits() { return {limit_of(RLIMIT_CPU), limit_of(RLIMIT_AS)}; }

void prepare_crash_report(int output, const Limits& limits) {
  answer_output = output;
  out_of_time = refusal("it needs more than " + std::to_string(limits.cpu_seconds) + " s of processor time");
  out_of_memory = refusal("it needs more than " + std::to_string(limits.memory_bytes >> 20) + " MiB of memory");
  out_of_stack = refusal("it is nested too deeply");
  // A process that is forked for a part of the work has no say.
  ::pthread_atfork(nullptr, nullptr, [] { spoken.store(true); });
  ::signal(SIGXCPU, on_processor_time);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) handle(signal, on_crash);
  std::set_new_handler(on_no_memory);
  llvm::install_bad_alloc_error_handler(on_llvm_no_memory);
  llvm::install_fatal_error_handler(on_llvm_error);
}

void use_crash_report(const std::string& framed) {
  auto* words = new Words(keep(framed));
  conservative.store(words);
}

bool claim_output() { return !spoken.exchange(true); }

void watch_this_stack() {
  stack_t own{};
  own.ss_sp = new char[tuning::kSignalStackBytes];
  own.ss_size = tuning::kSignalStackBytes;
  ::sigaltstack(&own, nullptr);
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t size = 0;
  if (::pthread_attr_getstack(&attributes, &low, &size) == 0) stack_low.store(reinterpret_cast<std::uintptr_t>(low));
  ::pthread_attr_destroy(&attributes);
}

}  // namespace skmd::compiler
