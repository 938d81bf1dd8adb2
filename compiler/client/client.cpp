// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/client.h"

#include <algorithm>
#include <exception>

#include "compiler/client/cache.h"
#include "compiler/client/client_constants.h"
#include "compiler/client/codec.h"
#include "compiler/client/keep.h"
#include "compiler/client/process.h"

namespace skmd::compiler {
namespace {

using domain::Error;
using domain::Result;

CompileAnswer opaque(const std::string& reason) {
  CompileAnswer answer;
  answer.outcome = Outcome::opaque;
  answer.reason = reason;
  return answer;
}

CompileAnswer failed(const std::string& reason) {
  CompileAnswer answer;
  answer.outcome = Outcome::failed;
  answer.log = "error: this program is too much for the compiler: " + reason + "\n";
  return answer;
}

Result<Reply> ask(CompileRequest request, const ClientOptions& options) {
  request.unread = {options.cache, options.helper};
  const Result<std::string> framed = run_helper({.path = options.helper}, encode(request), options.limits);
  if (!framed) return framed.error();
  const Result<std::string> bytes = unframe(*framed);
  if (!bytes) return Error{0, "skmd-compile answered with garbage: " + bytes.error().reason};
  Result<Reply> reply = decode_reply(*bytes);
  if (!reply) return Error{0, "skmd-compile answered with garbage: " + reply.error().reason};
  return reply;
}

}  // namespace

CompileRequest code_request(std::string text, std::string options, Language language, CodeTarget target) {
  CompileRequest request;
  request.source = std::move(text);
  request.options = std::move(options);
  request.language = std::move(language);
  request.stage = Stage::code;
  request.target = std::move(target);
  return request;
}

void Client::Ahead::keep(std::string key, CompileAnswer answer) {
  const MutexGuard lock(mutex_);
  answers_.emplace_back(std::move(key), std::move(answer));
  if (answers_.size() > tuning::kMaxAhead) answers_.pop_front();
}

std::optional<CompileAnswer> Client::Ahead::take(const std::string& key) {
  const MutexGuard lock(mutex_);
  const auto found =
      std::find_if(answers_.begin(), answers_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == answers_.end()) return std::nullopt;
  CompileAnswer answer = std::move(found->second);
  answers_.erase(found);
  return answer;
}

CompileAnswer Client::answer_for(const CompileRequest& request) const {
  const Result<std::string> key = key_of(request, options_.helper);
  if (!key) return opaque(key.error().reason);
  if (request.stage == Stage::code)
    if (std::optional<CompileAnswer> made = ahead_.take(*key)) return std::move(*made);
  const Cache cache(options_.cache);
  if (std::optional<Reply> kept = cache.find(*key, request.working_directory)) return std::move(kept->answer);
  Result<Reply> reply = ask(request, options_);
  // What hangs our compiler would hang a vendor's, and the application with it.
  if (!reply && reply.error().code == kNoAnswerInTime) return failed(reply.error().reason);
  if (!reply) return opaque(reply.error().reason);
  if (std::optional<CodeOfBuild> code = keep(cache, *key, request, options_.helper, *reply))
    ahead_.keep(std::move(code->key), std::move(code->answer));
  return std::move(reply->answer);
}

CompileAnswer Client::compile(const CompileRequest& request) const {
  try {
    return answer_for(request);
  } catch (const std::exception& failure) {
    return opaque(std::string("the compiler's client failed: ") + failure.what());
  }
}

}  // namespace skmd::compiler
