// SPDX-License-Identifier: Apache-2.0
#include "fake_helper.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

namespace skmd::compiler::test {

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

FakeHelper::FakeHelper(const std::string& script) {
  const std::string path = folder_.file("helper");
  write_file(path, "#!/bin/sh\nHERE=" + folder_.path() + "\n" + script + "\n");
  ::chmod(path.c_str(), 0700);
}

std::string FakeHelper::answering() { return "/bin/cat >/dev/null\nprintf x >> $HERE/starts\n/bin/cat $HERE/reply"; }

Reply reply_named(const std::string& name) {
  Reply reply;
  reply.answer.outcome = Outcome::analysed;
  reply.answer.text = name;
  return reply;
}

}  // namespace skmd::compiler::test
