// SPDX-License-Identifier: Apache-2.0
// Programs that stand in for skmd-compile, as shell scripts in a folder that goes away.
#pragma once

#include <string>

#include "compiler/client/codec.h"
#include "tests/temporary_folder.h"

namespace skmd::compiler::test {

using skmd::test::TemporaryFolder;

void write_file(const std::string& path, const std::string& bytes);
std::string read_file(const std::string& path);

class FakeHelper {
 public:
  /// `script` runs after the request was thrown away; `$HERE` is the folder.
  explicit FakeHelper(const std::string& script);
  /// One that gives this reply and counts its starts.
  static std::string answering();

  void set_reply(const Reply& reply) { write_file(folder_.file("reply"), frame(encode(reply))); }
  [[nodiscard]] std::size_t starts() const { return read_file(folder_.file("starts")).size(); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] ClientOptions options() const { return {folder_.file("helper"), folder_.file("cache"), {}}; }

 private:
  TemporaryFolder folder_;
};

Reply reply_named(const std::string& name);

}  // namespace skmd::compiler::test
