// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/client.h"

#include <sys/stat.h>

#include <algorithm>
#include <exception>

#include "compiler/client/cache.h"
#include "compiler/client/codec.h"
#include "compiler/client/hash.h"
#include "compiler/client/process.h"
#include "partitioner/traits/traits_codec.h"

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

/// Only a program that can include files depends on where it is compiled.
bool may_include(const CompileRequest& request) {
  for (const Header& header : request.headers) {
    if (header.text.find("include") != std::string::npos) return true;
  }
  return request.source.find("include") != std::string::npos || request.options.find("include") != std::string::npos;
}

/// Everything that decides the answer, the helper's build included. An error if there is no helper.
Result<std::string> key_of(const CompileRequest& request, const std::string& helper) {
  struct stat info {};
  if (::stat(helper.c_str(), &info) != 0) return Error{0, "there is no compiler at " + helper};
  CompileRequest relevant = request;
  if (!may_include(request)) relevant.working_directory.clear();
  if (request.stage != Stage::code) relevant.target = {};  // the code has an entry of its own
  Hasher hasher;
  hasher.add_field(std::to_string(domain::kTraitsVersion));
  hasher.add_field(std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) + " " +
                   std::to_string(info.st_mtim.tv_nsec));
  hasher.add_field(encode(relevant));
  return to_hex(hasher.finish());
}

/// A refused program is compiled again next time: a header that was missing may have come.
bool worth_keeping(const CompileAnswer& answer) {
  return answer.outcome == Outcome::analysed || answer.outcome == Outcome::opaque;
}

Result<Reply> ask(const CompileRequest& request, const ClientOptions& options) {
  const Result<std::string> framed = run_helper(options.helper, encode(request), options.limits);
  if (!framed) return framed.error();
  const Result<std::string> bytes = unframe(*framed);
  if (!bytes) return Error{0, "skmd-compile answered with garbage: " + bytes.error().reason};
  Result<Reply> reply = decode_reply(*bytes);
  if (!reply) return Error{0, "skmd-compile answered with garbage: " + reply.error().reason};
  return reply;
}

/// Answers kept, for several programs that are built at once; older ones are not expected to be requested.
constexpr std::size_t kMaxAhead = 16;

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
  if (answers_.size() > kMaxAhead) answers_.pop_front();
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

/// Moves the code from a build's answer to `ahead_`, where the next request for it finds it.
void Client::keep_code(const CompileRequest& request, CompileAnswer& answer) const {
  CompileAnswer code;
  code.outcome = answer.outcome;
  code.kernel_code = std::exchange(answer.kernel_code, {});
  code.kernel_notes = std::exchange(answer.kernel_notes, {});
  if (code.kernel_notes.empty() || answer.outcome != Outcome::analysed) return;
  const Result<std::string> key =
      key_of(code_request(answer.text, answer.vendor_options, request.language, request.target), options_.helper);
  if (!key) return;
  const Reply reply{std::move(code), {}};
  Cache(options_.cache).store(*key, reply);
  ahead_.keep(*key, reply.answer);
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
  if (request.stage != Stage::code) keep_code(request, reply->answer);
  if (worth_keeping(reply->answer)) cache.store(*key, *reply);
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
