// SPDX-License-Identifier: Apache-2.0
// Programs that stand in for skmd-compile, as shell scripts in a folder that goes away.
#pragma once

#include <string>

#include "compiler/client/codec.h"

namespace skmd::compiler::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_file(const std::string& path, const std::string& bytes);
std::string read_file(const std::string& path);

class FakeHelper {
 public:
  /// `script` runs after the request was thrown away; `$HERE` is the folder.
  explicit FakeHelper(const std::string& script);
  /// One that gives this reply and counts its starts.
  static std::string answering();

  void set_reply(const Reply& reply) { write_file(folder_ / "reply", frame(encode(reply))); }
  [[nodiscard]] std::size_t starts() const { return read_file(folder_ / "starts").size(); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] ClientOptions options() const { return {folder_ / "helper", folder_ / "cache", {}}; }

 private:
  TemporaryFolder folder_;
};

Reply reply_named(const std::string& name);

}  // namespace skmd::compiler::test
