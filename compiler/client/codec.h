// SPDX-License-Identifier: Apache-2.0
// The messages on the pipe between the client and skmd-compile. Encoding of answers alone: client.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/client/client.h"

namespace skmd::compiler {

/// A file that the preprocessor read from a folder. A cached answer is good only while it is unchanged.
struct Dependency {
  std::string path;  // as the preprocessor named it; may be relative to the request's working directory
  std::uint64_t size = 0;
  std::uint64_t modified = 0;  // nanoseconds
  std::string hash;            // content_hash
  bool operator==(const Dependency&) const = default;
};

struct Reply {
  CompileAnswer answer;
  std::vector<Dependency> files;
};

std::string encode(const CompileRequest& request);
domain::Result<CompileRequest> decode_request(std::string_view bytes);

std::string encode(const Reply& reply);
domain::Result<Reply> decode_reply(std::string_view bytes);

/// A frame is magic, length, bytes, hash: truncation and damage are detected.
std::string frame(std::string_view bytes);
domain::Result<std::string> unframe(std::string_view framed);
/// True once `bytes` holds a whole frame, or can never become one.
bool frame_ended(std::string_view bytes);

}  // namespace skmd::compiler
