// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/codegen/pipeline/attempts.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "compiler/client/wire.h"
#include "compiler/ir/child.h"
#include "cpu-driver/codegen/pipeline/pipeline_constants.h"

namespace skmd::codegen {

namespace {

using compiler::Reader;
using compiler::Writer;
using Number = std::atomic<std::size_t>;

constexpr const char* kFailed = "the code generator failed";
constexpr const char* kWithoutVectors = "without vectors: the code generator failed, or took too long, over them";

std::string encode(const Generated& generated) {
  Writer writer;
  writer.text(generated.code);
  writer.number(generated.notes.size());
  for (const KernelNote& note : generated.notes) {
    writer.text(note.name);
    writer.text(note.obstacle);
    writer.number(note.remarks.size());
    for (const std::string& remark : note.remarks) writer.text(remark);
  }
  return writer.take();
}

// False: the bytes are not what encode() wrote.
bool decode(const std::string& bytes, Generated& generated) {
  Reader reader(bytes);
  generated.code = reader.text();
  generated.notes.resize(reader.count(24));
  for (KernelNote& note : generated.notes) {
    note.name = reader.text();
    note.obstacle = reader.text();
    note.remarks.resize(reader.count(8));
    for (std::string& remark : note.remarks) remark = reader.text();
  }
  return reader.complete();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A note for every kernel, those without code included.
Generated complete(Generated made, const std::vector<std::string>& kernels, const Attempt& attempt) {
  Generated all{std::move(made.code), {}};
  for (const std::string& name : kernels) {
    const auto note =
        std::find_if(made.notes.begin(), made.notes.end(), [&](const KernelNote& its) { return its.name == name; });
    all.notes.push_back(note != made.notes.end() ? std::move(*note) : KernelNote{name, kFailed, {}});
    if (contains(attempt.by_items, name)) all.notes.back().remarks.emplace_back(kWithoutVectors);
  }
  return all;
}

}  // namespace

Progress::Progress() {
  void* const page = ::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) shared_ = new (page) Number(kNone);
}

Progress::~Progress() {
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Number));
}

void Progress::at(std::size_t number) {
  if (shared_ != nullptr) static_cast<Number*>(shared_)->store(number);
}

std::size_t Progress::where() const { return shared_ == nullptr ? kNone : static_cast<Number*>(shared_)->load(); }

bool after_failure(Attempt& attempt, std::size_t number, bool without_vectors) {
  if (number == Progress::kNone || number > attempt.kernels.size()) {
    // Most of what all have in common is code generation, and vectors are most of what that gets.
    if (without_vectors || attempt.by_items.size() == attempt.kernels.size()) return false;
    attempt.by_items = attempt.kernels;
    return true;
  }
  const std::string name = attempt.kernels[number - 1];
  if (!without_vectors && !contains(attempt.by_items, name)) {
    attempt.by_items.push_back(name);
    return true;
  }
  std::erase(attempt.kernels, name);
  std::erase(attempt.by_items, name);
  return !attempt.kernels.empty();
}

Generated in_attempts(const std::vector<std::string>& kernels, bool without_vectors, const TryAttempt& make) {
  Attempt attempt{kernels, {}};
  for (unsigned i = 0; i < tuning::kMaxAttempts; ++i) {
    Progress progress;
    const std::string bytes = compiler::bytes_from_child([&] { return encode(make(attempt, progress)); },
                                                         i == 0 ? tuning::kFirstSeconds : tuning::kSecondsAgain);
    Generated made;
    if (!bytes.empty() && decode(bytes, made)) return complete(std::move(made), kernels, attempt);
    if (!after_failure(attempt, progress.where(), without_vectors)) break;
  }
  return complete({}, kernels, {});
}

}  // namespace skmd::codegen
