// SPDX-License-Identifier: Apache-2.0
#include "profiler/slurm_nodes.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <sstream>

#include "tests/seed.h"

namespace skmd::profiler {
namespace {

using Names = std::vector<std::string>;
constexpr std::size_t kMany = 100000;

Names nodes(const std::string& text, std::size_t most = kMany) {
  const auto result = slurm_nodes("L", text, most);
  EXPECT_TRUE(result) << result.error().reason;
  return result ? *result : Names{};
}

TEST(SlurmNodes, AreWrittenOutInTheirOrder) {
  const std::pair<const char*, Names> cases[] = {
      {"gpu5", {"gpu5"}},
      {"node[01-03,07],gpu5,rack[1-2]n[01-02]",
       {"node01", "node02", "node03", "node07", "gpu5", "rack1n01", "rack1n02", "rack2n01", "rack2n02"}},
      {"n[098-101]", {"n098", "n099", "n100", "n101"}},
      {"n[8-011]", {"n8", "n9", "n10", "n11"}},
      {"n[01-3]", {"n01", "n02", "n03"}},
      {"n[1,01,001,01]", {"n1", "n01", "n001", "n01"}},
      {"n[000-001]-[1-2].x", {"n000-1.x", "n000-2.x", "n001-1.x", "n001-2.x"}},
      {"n[1-2][3-4]", {"n13", "n14", "n23", "n24"}},
      {"127.0.0.[1-3]", {"127.0.0.1", "127.0.0.2", "127.0.0.3"}},
      {"[9-10]", {"9", "10"}},
      {"a_B-c.d,A", {"a_B-c.d", "A"}},
      {"n[999999999999999998-999999999999999999]", {"n999999999999999998", "n999999999999999999"}},
  };
  for (const auto& [text, names] : cases) EXPECT_EQ(nodes(text), names) << text;
}

TEST(SlurmNodes, ErrorsQuoteTheListAndSayWhere) {
  const std::tuple<const char*, int, const char*> cases[] = {
      {"", 1, "expected a node's name"},
      {",a", 1, "expected a node's name"},
      {"a,", 3, "expected a node's name"},
      {"a,,b", 3, "expected a node's name"},
      {"n[1", 2, "the bracket is not closed"},
      {"a,n[1-2,4", 4, "the bracket is not closed"},
      {"n[1-2[3]", 6, "expected '-', ',' or ']' behind a number"},
      {"n[", 3, "expected a number"},
      {"n[]", 3, "expected a number"},
      {"n[1,]", 5, "expected a number"},
      {"n[-1]", 3, "expected a number"},
      {"n[1-]", 5, "expected a number"},
      {"n[a-b]", 3, "expected a number"},
      {"n[+1]", 3, "expected a number"},
      {"n[[1]]", 3, "expected a number"},
      {"n[1-2-3]", 6, "expected '-', ',' or ']' behind a number"},
      {"n[000x133]", 6, "expected '-', ',' or ']' behind a number"},
      {"n[1 -2]", 4, "expected '-', ',' or ']' behind a number"},
      {"n[7,3-1]", 5, "the range ends before it begins"},
      {"n1]", 3, "expected a letter, a digit, '.', '-', '_' or '['"},
      {"a b", 2, "expected a letter"},
      {"a:1", 2, "expected a letter"},
      {"a;id", 2, "expected a letter"},
      {"a\xc3\xa9", 2, "expected a letter"},
      {"n[1000000000000000000]", 3, "the number has more than 18 digits"},
      {"n[1-18446744073709551617]", 5, "the number has more than 18 digits"},
  };
  for (const auto& [text, at, why] : cases) {
    const auto wrong = slurm_nodes("SLURM_JOB_NODELIST", text, kMany);
    ASSERT_FALSE(wrong) << text;
    const std::string begin =
        std::string("SLURM_JOB_NODELIST: '") + text + "' is wrong at character " + std::to_string(at) + ": " + why;
    EXPECT_TRUE(wrong.error().reason.starts_with(begin)) << wrong.error().reason << "\nexpected " << begin;
  }
}

TEST(SlurmNodes, AreAtMostAsManyAsAskedForHoweverLargeARangeIs) {
  EXPECT_EQ(nodes("a[1-3],b", 4).size(), 4u);
  EXPECT_EQ(nodes("a[1-2]b[1-2]", 4).size(), 4u);
  std::string brackets;
  for (int i = 0; i < 40; ++i) brackets += "[0-99999999]";
  const std::pair<std::string, int> cases[] = {{"a[1-4],b", 8},
                                               {"a[1-5],b", 1},
                                               {"a[1-2]b[1-3]", 1},
                                               {"a,n[0-999999999999999999]", 3},
                                               {"a[0-999999999999999999,0-999999999999999999]", 1},
                                               {"n[0-4294967295]x[0-4294967295]", 1},
                                               {"n[0-65535]x[0-65535]x[0-65535]x[0-65535]", 1},
                                               {brackets.substr(0, 12 * 25), 1}};
  for (const auto& [text, at] : cases) {
    const auto wrong = slurm_nodes("L", text, 4);
    ASSERT_FALSE(wrong) << text;
    EXPECT_TRUE(
        wrong.error().reason.ends_with("is wrong at character " + std::to_string(at) + ": there are more than 4 nodes"))
        << wrong.error().reason;
  }
  const auto none = slurm_nodes("L", "a", 0);
  EXPECT_FALSE(none);
}

TEST(SlurmNodes, HaveNamesOfTheLengthOfAHosts) {
  EXPECT_EQ(nodes(std::string(251, 'n') + "[1-10]").size(), 10u);
  std::string ones;
  for (int i = 0; i < 100000; ++i) ones += "[1]";
  for (const std::string& text :
       {std::string(254, 'n'), std::string(251, 'n') + "[1-100]", std::string(250, 'n') + "[0001]", ones}) {
    const auto wrong = slurm_nodes("L", text, kMany);
    ASSERT_FALSE(wrong);
    EXPECT_TRUE(wrong.error().reason.ends_with("at character 1: the name has more than 253 characters"));
  }
}

/// What a list stands for, by replacing its first brackets until there are none. Precondition: it is well formed.
void reference(const std::string& text, Names& names) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos) {
    names.push_back(text);
    return;
  }
  std::istringstream items(text.substr(open + 1, close - open - 1));
  for (std::string item; std::getline(items, item, ',');) {
    const std::string first = item.substr(0, item.find('-')), last = item.substr(item.find('-') + 1);
    for (int number = std::stoi(first); number <= std::stoi(last); ++number) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%0*d", static_cast<int>(first.size()), number);
      reference(text.substr(0, open) + digits + text.substr(close + 1), names);
    }
  }
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed + test::seed_offset()) {}
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  std::string pick(const std::string& alphabet, int length) {
    std::string text;
    while (length-- > 0) text += alphabet[static_cast<std::size_t>(below(static_cast<int>(alphabet.size())))];
    return text;
  }
  std::string number(int value) {
    std::string digits = std::to_string(value);
    return below(2) == 0 ? digits : std::string(static_cast<std::size_t>(below(4)), '0') + digits;
  }
  std::string range() {
    const int first = below(120);
    return below(2) == 0 ? number(first) : number(first) + "-" + std::to_string(first + below(12));
  }
  std::string brackets() {
    std::string text = "[" + range();
    while (below(2) == 0) text += "," + range();
    return text + "]";
  }
  std::string name() {
    std::string text = pick("abcXYZ019._-", 1 + below(5));
    for (int groups = below(4); groups > 0; --groups) text += brackets() + pick("ab0.", below(2));
    return text;
  }

 private:
  std::mt19937 engine_;
};

TEST(SlurmNodes, AgreeWithASimpleExpansionOfRandomLists) {
  Random random(1);
  for (int round = 0; round < 1500; ++round) {
    std::string text;
    Names expected;
    for (int count = 1 + random.below(4); count > 0; --count) {
      const std::string name = random.name();
      text += (text.empty() ? "" : ",") + name;
      reference(name, expected);
    }
    if (expected.size() > kMany) continue;
    ASSERT_EQ(nodes(text), expected) << text;
    ASSERT_EQ(nodes(text, expected.size()), expected) << text;
    ASSERT_FALSE(slurm_nodes("L", text, expected.size() - 1)) << text;
  }
}

/// Names of one prefix and width as SLURM writes them: rising numbers, those in a row as a range.
std::string compact(const std::string& prefix, const std::vector<int>& numbers, std::size_t width) {
  const auto padded = [&](int number) {
    const std::string digits = std::to_string(number);
    return std::string(width - std::min(width, digits.size()), '0') + digits;
  };
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ",") + padded(numbers[i]) + (end - i > 1 ? "-" + padded(numbers[end - 1]) : "");
    i = end;
  }
  return prefix + "[" + text + "]";
}

TEST(SlurmNodes, ComeBackFromTheirCompactForm) {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    Names names;
    std::string text;
    for (int groups = 1 + random.below(3); groups > 0; --groups) {
      const std::string prefix = random.pick("abc-", 1 + random.below(4));
      const auto width = static_cast<std::size_t>(random.below(5));
      std::vector<int> numbers;
      for (int number = random.below(1000); number < 1020; number += random.below(3) == 0 ? 1 + random.below(300) : 1)
        numbers.push_back(number);
      if (numbers.empty()) continue;
      text += (text.empty() ? "" : ",") + compact(prefix, numbers, width);
      for (const int number : numbers) {
        std::string digits = std::to_string(number);
        while (digits.size() < width) digits.insert(0, "0");
        names.push_back(prefix + digits);
      }
    }
    if (text.empty()) continue;
    ASSERT_EQ(nodes(text), names) << text;
  }
}

TEST(SlurmNodes, OfRandomTextsAreThereWhereTheyHaveTheForm) {
  const std::regex form(
      R"(([a-z0-9._-]|\[\d+(-\d+)?(,\d+(-\d+)?)*\])+(,([a-z0-9._-]|\[\d+(-\d+)?(,\d+(-\d+)?)*\])+)*)");
  const std::regex range(R"((\d+)-(\d+)(?=[^\[]*\]))");
  Random random(3);
  int well_formed = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random.pick("n[]-,1234 ", 1 + random.below(9));
    bool expected = std::regex_match(text, form);
    if (expected)
      for (std::sregex_iterator at(text.begin(), text.end(), range), end; at != end; ++at)
        expected = expected && std::stoll((*at)[1]) <= std::stoll((*at)[2]);
    ASSERT_EQ(slurm_nodes("L", text, 1000000).ok(), expected) << text;
    ++(expected ? well_formed : refused);
  }
  EXPECT_GT(well_formed, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace skmd::profiler
