// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/late_failures.h"

#include <exception>
#include <filesystem>

#include "compiler/client/cache.h"
#include "compiler/client/hash.h"

namespace skmd::compiler {

// As the answer to a program that failed: those are never kept otherwise.
void keep_late_failure(const std::string& cache, const LateFailure& failure) try {
  Reply note;
  note.answer.outcome = Outcome::failed;
  note.answer.hash = failure.program;
  note.answer.reason = failure.device;
  note.answer.log = failure.reason;
  Cache(cache).store(content_hash("late failure\n" + failure.program + '\n' + failure.device), note);
} catch (const std::exception&) {  // skmd-info misses it
}

std::vector<LateFailure> late_failures(const std::string& cache) {
  std::vector<LateFailure> found;
  std::error_code error;
  if (cache.empty() || !std::filesystem::is_directory(cache, error)) return found;
  const Cache kept(cache);
  for (const auto& entry : std::filesystem::directory_iterator(cache, error)) {
    if (entry.path().extension() != ".compiled") continue;
    const auto reply = kept.find(entry.path().stem(), "");
    if (reply && reply->answer.outcome == Outcome::failed)
      found.push_back({reply->answer.hash, reply->answer.reason, reply->answer.log});
  }
  return found;
}

}  // namespace skmd::compiler
