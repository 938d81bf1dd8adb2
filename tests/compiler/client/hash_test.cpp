// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace skmd::compiler {
namespace {

TEST(Blake2b, GivesTheVectorOfRfc7693) {
  Hasher hasher(64);
  hasher.add("abc");
  EXPECT_EQ(to_hex(hasher.finish()),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d3"
            "8aa8dbf1925ab92386edd4009923");
}

TEST(Blake2b, OfSixteenBytesAgreesWithTheReferenceAroundABlock) {
  EXPECT_EQ(content_hash(""), "cae66941d9efbd404e4d88758ea67670");
  EXPECT_EQ(content_hash("abc"), "cf4ab791c62b8d2b2109c90275287816");
  EXPECT_EQ(content_hash(std::string(128, 'a')), "1271d28e731afb57bdfba6bdaf3501be");
  EXPECT_EQ(content_hash(std::string(129, 'a')), "68b7bafbad5055c4ebe6eb170a0f8524");
  std::string all;
  for (int i = 0; i < 1280; ++i) all += static_cast<char>(i & 255);
  EXPECT_EQ(content_hash(all), "825c7cfa8fc12c18f57b6046a548db9f");
}

TEST(Blake2b, DoesNotDependOnHowTheBytesArrive) {
  const std::string bytes(1000, 'x');
  for (const std::size_t piece : {1u, 7u, 127u, 128u, 129u, 500u}) {
    Hasher hasher;
    for (std::size_t at = 0; at < bytes.size(); at += piece) hasher.add(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(to_hex(hasher.finish()), content_hash(bytes)) << piece;
  }
}

TEST(Blake2b, FieldsDoNotRunIntoEachOther) {
  Hasher first;
  first.add_field("ab");
  first.add_field("c");
  Hasher second;
  second.add_field("a");
  second.add_field("bc");
  EXPECT_NE(first.finish(), second.finish());
}

}  // namespace
}  // namespace skmd::compiler
