// SPDX-License-Identifier: Apache-2.0
#include "profiler/run_report/run_counters.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "profiler/run_report/run_report_constants.h"

namespace skmd::profiler {
namespace {

constexpr char kMagic[8] = {'S', 'K', 'M', 'D', 'R', 'U', 'N', '1'};

using Count = std::atomic<std::uint64_t>;

struct Reason {
  char text[56];  // ends with 0; "" where free
  Count count;
};

struct Kernel {
  char program[72];
  char name[184];
  Count launches, profiled;
  std::array<Count, tuning::kMaxDevices> samples;
  std::array<Reason, tuning::kMaxReasons> reasons;
};

struct Layout {
  char magic[8];
  Count devices;
  Count kernels;  // those before this number are complete
  Count current;  // 1 + number of the kernel that is being profiled; 0: none
  Count planned_ns, done_ns, launch_ns;
  std::array<Kernel, tuning::kMaxKernels> table;
};
static_assert(Count::is_always_lock_free, "processes share these");

Layout& layout(void* base) { return *static_cast<Layout*>(base); }

template <std::size_t N>
void put(char (&to)[N], std::string_view text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), length);
  to[length] = 0;
}

template <std::size_t N>
std::string text_of(const char (&from)[N]) {
  return std::string(from, strnlen(from, N));
}

/// Of a name as put() stores it.
template <std::size_t N>
bool equal(const char (&stored)[N], std::string_view text) {
  return text_of(stored) == text.substr(0, N - 1);
}

/// A mapped file of another process, or nothing.
class Mapped {
 public:
  explicit Mapped(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_size == sizeof(Layout)) {
      void* base = mmap(nullptr, sizeof(Layout), PROT_READ, MAP_SHARED, descriptor, 0);
      if (base != MAP_FAILED) base_ = base;
    }
    if (descriptor >= 0) close(descriptor);
  }
  ~Mapped() {
    if (base_ != nullptr) munmap(base_, sizeof(Layout));
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] const Layout* get() const {
    return base_ != nullptr && std::memcmp(base_, kMagic, sizeof kMagic) == 0 ? static_cast<const Layout*>(base_)
                                                                              : nullptr;
  }

 private:
  void* base_ = nullptr;
};

template <typename Visit>
void for_each_file(const std::filesystem::path& folder, const Visit& visit) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const Mapped mapped(entry.path());
    if (const Layout* file = mapped.get()) visit(*file);
  }
}

void add(KernelCounts& sum, const Kernel& kernel, std::size_t devices) {
  sum.launches += kernel.launches;
  sum.profiled += kernel.profiled;
  sum.samples.resize(std::max(sum.samples.size(), devices));
  for (std::size_t i = 0; i < devices; ++i) sum.samples[i] += kernel.samples[i];
  for (const Reason& reason : kernel.reasons)
    if (reason.count != 0) sum.left_out[text_of(reason.text)] += reason.count;
}

}  // namespace

std::unique_ptr<RunCounters> RunCounters::create(const std::filesystem::path& folder, std::size_t devices) {
  std::string name = (folder / "counters-XXXXXX").string();
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  // Real blocks: on a full disk a write to a sparse mapping would be a signal in the application.
  void* base = posix_fallocate(descriptor, 0, sizeof(Layout)) == 0
                   ? mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                   : MAP_FAILED;
  close(descriptor);
  if (base == MAP_FAILED) {
    unlink(name.c_str());
    return nullptr;
  }
  devices = std::min(devices, tuning::kMaxDevices);
  layout(base).devices = devices;
  std::memcpy(layout(base).magic, kMagic, sizeof kMagic);
  return std::unique_ptr<RunCounters>(new RunCounters(base, devices));
}

RunCounters::~RunCounters() { munmap(base_, sizeof(Layout)); }

std::size_t RunCounters::kernel(std::string_view program, std::string_view name) noexcept {
  Layout& file = layout(base_);
  const MutexGuard lock(mutex_);
  const std::size_t known = file.kernels;
  for (std::size_t i = 0; i < known; ++i)
    if (equal(file.table[i].name, name) && equal(file.table[i].program, program)) return i;
  if (known == tuning::kMaxKernels) return tuning::kMaxKernels - 1;
  put(file.table[known].program, program);
  put(file.table[known].name, name);
  file.kernels = known + 1;
  return known;
}

void RunCounters::launched(std::size_t kernel) noexcept { ++layout(base_).table[kernel].launches; }

void RunCounters::profiled(std::size_t kernel) noexcept { ++layout(base_).table[kernel].profiled; }

void RunCounters::sampled(std::size_t kernel, std::size_t device) noexcept {
  if (device < devices_) ++layout(base_).table[kernel].samples[device];
}

void RunCounters::left_out(std::size_t kernel, std::string_view reason) noexcept {
  const MutexGuard lock(mutex_);
  for (Reason& entry : layout(base_).table[kernel].reasons) {
    if (entry.count == 0) put(entry.text, reason);
    if (!equal(entry.text, reason)) continue;
    ++entry.count;
    return;
  }
}

void RunCounters::begin(std::size_t kernel, double planned_seconds) noexcept {
  layout(base_).current = kernel + 1;
  layout(base_).planned_ns += static_cast<std::uint64_t>(planned_seconds * 1e9);
  layout(base_).launch_ns = 0;
}

void RunCounters::launch(double seconds) noexcept {
  layout(base_).launch_ns = static_cast<std::uint64_t>(seconds * 1e9);
}

void RunCounters::done(double seconds) noexcept { layout(base_).done_ns += static_cast<std::uint64_t>(seconds * 1e9); }

void RunCounters::end() noexcept {
  layout(base_).current = 0;
  layout(base_).done_ns = layout(base_).planned_ns.load();
}

std::vector<KernelCounts> read_counts(const std::filesystem::path& folder) {
  std::map<std::pair<std::string, std::string>, KernelCounts> sums;
  for_each_file(folder, [&](const Layout& file) {
    const std::size_t kernels = std::min<std::size_t>(file.kernels, tuning::kMaxKernels);
    const std::size_t devices = std::min<std::size_t>(file.devices, tuning::kMaxDevices);
    for (std::size_t i = 0; i < kernels; ++i) {
      KernelCounts& sum = sums[{text_of(file.table[i].name), text_of(file.table[i].program)}];
      add(sum, file.table[i], devices);
    }
  });
  std::vector<KernelCounts> counts;
  for (auto& [key, sum] : sums) {
    sum.name = key.first;
    sum.program = key.second;
    counts.push_back(std::move(sum));
  }
  return counts;
}

RunProgress read_progress(const std::filesystem::path& folder) {
  RunProgress progress;
  for_each_file(folder, [&](const Layout& file) {
    progress.done += static_cast<double>(file.done_ns) * 1e-9;
    progress.planned += static_cast<double>(file.planned_ns) * 1e-9;
    progress.launch += static_cast<double>(file.launch_ns) * 1e-9;
    const std::size_t current = file.current;
    if (current > 0 && current <= tuning::kMaxKernels) progress.kernel = text_of(file.table[current - 1].name);
  });
  return progress;
}

}  // namespace skmd::profiler
