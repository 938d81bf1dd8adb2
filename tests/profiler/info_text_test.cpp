// SPDX-License-Identifier: Apache-2.0
#include "profiler/info_text.h"

#include <gtest/gtest.h>

namespace skmd::profiler {
namespace {

TEST(InfoText, MarksTheAnchorAndListsMembers) {
  const auto document = nlohmann::json::parse(R"({"version":1,"anchor":1,
      "devices":[{"name":"a","kind":"cpu"},{"name":"b","discrete":true,"limits":{"local_bytes":7}}],
      "left_out":["c: no compiler"],"virtual_device":{"name":"v","version":"OpenCL 3.0"},
      "settings":{"partition":"auto"},"kernels":[{"name":"k","access":"contiguous"}],
      "programs":[{"program":"h1","builds":[{"device":"b 1.0","state":"failed","reason":"too old"},
                                            {"device":"a 1.0","state":"built"}]}]})");
  EXPECT_EQ(info_text(document, "/lib/libskmd.so"),
            "driver: /lib/libskmd.so\n"
            "virtual device: v\n"
            "  version: OpenCL 3.0\n"
            "real devices: 2\n"
            "  0  a\n"
            "      kind: cpu\n"
            "  1  b  (anchor)\n"
            "      discrete: yes\n"
            "      limits:\n"
            "        local_bytes: 7\n"
            "left out:\n"
            "  c: no compiler\n"
            "settings:\n"
            "  partition: auto\n"
            "kernels: 1\n"
            "  k  access=contiguous\n"
            "programs that some device refused after their build had ended:\n"
            "  h1  failed on b 1.0: too old\n");
}

TEST(InfoText, NamesOtherHosts) {
  const std::string text = info_text(nlohmann::json::parse(R"({"hosts":[{"host":"b:1","devices":2,"away":false},
      {"host":"c:1","devices":0,"away":true,"reason":"does not answer"}]})"),
                                     "d");
  EXPECT_NE(text.find("other hosts:\n  b:1: 2 devices\n  c:1: away: does not answer\n"), std::string::npos) << text;
}

TEST(InfoText, TellsOfTheProfileDatabase) {
  const auto text_of = [](const char* profile) {
    const std::string text = info_text({{"profile", nlohmann::json::parse(profile)}}, "d");
    return text.substr(text.find("profile"));
  };
  EXPECT_EQ(text_of(R"({"file":"/p.db","bytes":4096,"devices":[{"name":"a","platform":"p","driver":"1","units":2,
                        "origin":"imported"}],"links":[{"host":"h, 4","device":"a","direction":"to","bytes_per_second":1.25e10}],"problem":null})"),
            "profile database: /p.db, 4096 bytes\n"
            "  device a, p, driver 1: imported\n"
            "  link to a: 12500 MB/s, host h, 4\n");
  EXPECT_EQ(text_of(R"({"file":"/p.db","bytes":0,"devices":[],"links":[],"problem":"it is not there"})"),
            "profile database: /p.db (it is not there)\n");
  EXPECT_EQ(text_of(R"({"file":null,"bytes":0,"devices":[],"links":[],"problem":null})"), "profile database: off\n");
}

TEST(InfoText, TakesADocumentWithNothingInIt) {
  EXPECT_EQ(info_text(nlohmann::json::object(), "d"), "driver: d\nreal devices: 0\nkernels: 0\n");
}

}  // namespace
}  // namespace skmd::profiler
