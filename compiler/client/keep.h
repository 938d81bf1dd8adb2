// SPDX-License-Identifier: Apache-2.0
// Which answers are kept in the cache, and under which keys. The client does it; the helper does it where the client's
// process ended before it had the answer.
#pragma once

#include <optional>
#include <string>

#include "compiler/client/cache.h"
#include "compiler/client/client.h"
#include "compiler/client/codec.h"

namespace skmd::compiler {

/// Hashes everything that decides the answer, the build of the helper at `helper` included. An error if there is none.
domain::Result<std::string> key_of(const CompileRequest& request, const std::string& helper);

/// The code that came with a build's answer, as the answer to the request for that code, and that request's key.
struct CodeOfBuild {
  std::string key;
  CompileAnswer answer;
};

/// Stores `reply` under `key`, if an answer of its outcome is worth it, and before that the code that came with a
/// build under a key of its own. Returns that code, which `reply` then lacks; nothing if none came.
std::optional<CodeOfBuild> keep(const Cache& cache, const std::string& key, const CompileRequest& request,
                                const std::string& helper, Reply& reply);

}  // namespace skmd::compiler
