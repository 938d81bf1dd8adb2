// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/keep.h"

#include <sys/stat.h>

#include <utility>

#include "compiler/client/hash.h"
#include "partitioner/traits/traits_codec.h"

namespace skmd::compiler {
namespace {

using domain::Error;
using domain::Result;

/// Only a program that can include files depends on where it is compiled.
bool may_include(const CompileRequest& request) {
  for (const Header& header : request.headers) {
    if (header.text.find("include") != std::string::npos) return true;
  }
  return request.source.find("include") != std::string::npos || request.options.find("include") != std::string::npos;
}

}  // namespace

Result<std::string> key_of(const CompileRequest& request, const std::string& helper) {
  struct stat info {};
  if (::stat(helper.c_str(), &info) != 0) return Error{0, "there is no compiler at " + helper};
  CompileRequest relevant = request;
  relevant.unread = {};
  if (!may_include(request)) relevant.working_directory.clear();
  if (request.stage != Stage::code) relevant.target = {};  // the code has an entry of its own
  Hasher hasher;
  hasher.add_field(std::to_string(domain::kTraitsVersion));
  hasher.add_field(std::to_string(info.st_size) + " " + std::to_string(info.st_mtim.tv_sec) + " " +
                   std::to_string(info.st_mtim.tv_nsec));
  hasher.add_field(encode(relevant));
  return to_hex(hasher.finish());
}

namespace {

/// A refused program is compiled again next time: a header that was missing may have come.
bool worth_keeping(const CompileAnswer& answer) {
  return answer.outcome == Outcome::analysed || answer.outcome == Outcome::opaque;
}

std::optional<CodeOfBuild> code_of_build(const CompileRequest& request, const std::string& helper,
                                         CompileAnswer& answer) {
  CompileAnswer code;
  code.outcome = answer.outcome;
  code.kernel_code = std::exchange(answer.kernel_code, {});
  code.kernel_notes = std::exchange(answer.kernel_notes, {});
  if (code.kernel_notes.empty() || answer.outcome != Outcome::analysed) return std::nullopt;
  const Result<std::string> key =
      key_of(code_request(answer.text, answer.vendor_options, request.language, request.target), helper);
  if (!key) return std::nullopt;
  return CodeOfBuild{*key, std::move(code)};
}

}  // namespace

std::optional<CodeOfBuild> keep(const Cache& cache, const std::string& key, const CompileRequest& request,
                                const std::string& helper, Reply& reply) {
  std::optional<CodeOfBuild> code;
  if (request.stage != Stage::code) code = code_of_build(request, helper, reply.answer);
  if (code) cache.store(code->key, Reply{code->answer, {}});
  if (worth_keeping(reply.answer)) cache.store(key, reply);
  return code;
}

}  // namespace skmd::compiler
