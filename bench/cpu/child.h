// SPDX-License-Identifier: Apache-2.0
// A program that answers each line of its standard input by a line of JSON on its standard output.
#pragma once

#include <sys/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bench {

class Child {
 public:
  /// Runs `command` (a path and arguments) with the variables of `changes` on top of this program's own. Throws
  /// std::runtime_error if it cannot be started.
  Child(const std::vector<std::string>& command, const std::map<std::string, std::string>& changes);
  /// Closes its input and waits for its end.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Throws std::runtime_error if it ends, or says something else than JSON.
  nlohmann::json ask(const std::string& request);

 private:
  std::string name_;
  pid_t process_ = -1;
  int requests_ = -1, answers_ = -1;
  std::string unread_;
};

/// What a new program's environment is: this program's own with `changes` on top, as NAME=VALUE.
std::vector<std::string> changed_environment(const std::map<std::string, std::string>& changes);

/// For calls that take an array of C strings with nullptr behind the last; valid as long as `texts` is.
std::vector<char*> c_strings(std::vector<std::string>& texts);

/// A folder under the system's temporary one, removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace bench
