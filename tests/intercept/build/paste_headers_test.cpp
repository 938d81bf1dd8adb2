// SPDX-License-Identifier: Apache-2.0
// Sources without files: which includes are found where, and what a compiler sees of them.
#include "intercept/build/paste_headers.h"

#include <gtest/gtest.h>

#include <map>

#include "intercept/build/include_line.h"

namespace skmd::icd {
namespace {

class PasteHeaders : public testing::Test {
 protected:
  PasteHeaders() {
    places.read = [this](const std::string& path) -> std::optional<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return std::nullopt;
      return found->second;
    };
  }
  std::string paste(const std::string& source) { return paste_headers(source, places); }

  HeaderPlaces places;
  std::map<std::string, std::string> files;
};

std::string pasted(const std::string& name, const std::string& text, int behind) {
  return "#line 1 \"" + name + "\"\n" + text + "#line " + std::to_string(behind) + " \"<source>\"\n";
}

TEST_F(PasteHeaders, HandedHeadersGoByExactlyTheirName) {
  places.headers = {{"a/b.h", "int ab;"}};
  EXPECT_EQ(paste("#include \"a/b.h\"\nx"), pasted("a/b.h", "int ab;\n", 1) + "\nx");
  EXPECT_EQ(paste("y\n  #  include <a/b.h> // c\nx"), "y\n" + pasted("a/b.h", "int ab;\n", 2) + "\nx");
  for (const char* other : {"#include \"b.h\"\nx", "// no\n// #include \"a/b.h\"", "/*\n#include \"a/b.h\"\n*/",
                            "#include_next \"a/b.h\"\n", "\"\\\"/*\"\n#include \"a/c.h\"\n", "x #include \"a/b.h\""})
    EXPECT_EQ(paste(other), other);
}

TEST_F(PasteHeaders, NestedHeadersAreFollowedAndCyclesEnd) {
  places.headers = {
      {"a", "1\n#include \"b\""}, {"b", "2"}, {"d/e", "#include \"f\"\n#include \"../b\"\n"}, {"d/f", "3"}};
  EXPECT_EQ(paste("#include \"a\""), "#line 1 \"a\"\n1\n#line 1 \"b\"\n2\n#line 2 \"a\"\n#line 1 \"<source>\"\n");
  const std::string beside = paste("#include \"d/e\"");
  EXPECT_NE(beside.find("\n3\n"), std::string::npos) << beside;
  EXPECT_NE(beside.find("\n2\n"), std::string::npos) << beside;
  places.headers = {{"a", "#include \"a\"\n"}};
  EXPECT_LT(paste("#include \"a\"").size(), 10'000u);
  places.headers = {{"a", "#include \"a\"\n#include \"a\"\n"}};
  EXPECT_LT(paste("#include \"a\"").size(), std::size_t{33} << 20) << "two of itself in each of 64 levels";
}

TEST_F(PasteHeaders, FoldersComeInTheirOrderBehindHandedHeadersAndTheIncludersOwn) {
  files = {
      {"/one/a.h", "one"}, {"/two/a.h", "two"}, {"/two/b.h", "#include \"a.h\"\n#include <a.h>\n"}, {"/abs.h", "abs"}};
  places.folders = {"/one", "/two"};
  EXPECT_EQ(paste("#include <a.h>"), pasted("/one/a.h", "one\n", 1));
  const std::string nested = paste("#include \"b.h\"");
  EXPECT_LT(nested.find("\ntwo\n"), nested.find("\none\n")) << "quotes look beside the header first\n" << nested;
  EXPECT_EQ(paste("#include \"/abs.h\""), pasted("/abs.h", "abs\n", 1));
  places.headers = {{"a.h", "handed"}};
  EXPECT_EQ(paste("#include \"a.h\""), pasted("a.h", "handed\n", 1));
}

TEST_F(PasteHeaders, WhatConditionsHideIsThereToo) {
  files = {{"/f/a.h", "int a;\n"}};
  places.folders = {"/f"};
  EXPECT_EQ(paste("#ifdef VENDORS_OWN\n#include \"a.h\"\n#endif\n"),
            "#ifdef VENDORS_OWN\n" + pasted("/f/a.h", "int a;\n", 2) + "\n#endif\n");
}

TEST_F(PasteHeaders, AHeaderThatSaysOnceIsThereOnceForWhoeverComesByIt) {
  files = {{"/f/a.h", "#pragma once\nint a;\n"}};
  places.folders = {"/f"};
  const std::string text = paste("#if 0\n#include \"a.h\"\n#endif\n#include \"a.h\"\n#include <a.h>\n");
  EXPECT_EQ(text.find("#pragma once"), std::string::npos) << text;
  std::size_t guards = 0;
  for (std::size_t at = text.find("#ifndef SKMD_ONCE_0\n#define SKMD_ONCE_0\n"); at != std::string::npos;
       at = text.find("#ifndef SKMD_ONCE_0\n", at + 1))
    ++guards;
  EXPECT_EQ(guards, 3u) << text;
}

TEST_F(PasteHeaders, AMacroWithOneMeaningMayNameTheHeader) {
  files = {{"/f/a.h", "A"}, {"/f/b.h", "B"}};
  places.folders = {"/f"};
  places.macros = {"GIVEN=\"a.h\"", "FLAG"};
  EXPECT_EQ(paste("#include GIVEN"), pasted("/f/a.h", "A\n", 1));
  EXPECT_NE(paste("#define NAME OTHER\n#define OTHER <b.h>\n#include NAME\n").find("\nB\n"), std::string::npos);
  const std::string several = "#define GIVEN \"b.h\"\n#include GIVEN\n";
  EXPECT_EQ(paste(several), several) << "conditions choose, which are the compiler's";
}

TEST_F(PasteHeaders, CommentsAndJoinedLinesAreThoseOfC) {
  files = {{"/f/a.h", "A"}};
  places.folders = {"/f"};
  EXPECT_EQ(paste("/* one\n two */ #include \"a.h\" /* three\n four */ x\n"),
            "/* one\n*/\n" + pasted("/f/a.h", "A\n", 2) + "/*\n four */ x\n");
  EXPECT_EQ(paste("#inc\\\nlude \\\n \"a.h\"\nx"), pasted("/f/a.h", "A\n", 3) + "\nx");
  EXPECT_EQ(paste("// comment \\\n#include \"a.h\"\n"), "// comment \\\n#include \"a.h\"\n");
  EXPECT_EQ(paste("#include <a.h>\r\nx"), pasted("/f/a.h", "A\n", 1) + "\nx");
}

TEST(IncludeLine, BracketsMayHoldWhatLooksLikeAComment) {
  LineReader reader("#include <a//b.h> // c");
  LogicalLine line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(header_name(directive_of(line).rest).name, "a//b.h");
  EXPECT_FALSE(reader.next(line));
}

}  // namespace
}  // namespace skmd::icd
