// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/failed_check.h"

#include <gtest/gtest.h>

namespace skmd::cpu::test {
namespace {

constexpr const char* kAccesses =
    "line 7\treads 4 bytes\tx\t\tout_of_bounds\n"
    "line 12 of sum.h\twrites 1 byte\ty\tz, table\tout_of_bounds\n";
constexpr const char* kAll =
    "line 3\tdivides by zero\t\t\tdivision_by_zero\n"
    "an unknown line\tends the launch\t\t\tterminated\n"
    "line 7\treads 4 bytes\tx\t\tout_of_bounds\n";

CheckReport report(std::uint64_t count, std::uint64_t site, std::uint64_t offset = 0, std::uint64_t size = 0) {
  CheckReport made;
  made.count = count;
  made.site = site;
  made.offset = offset;
  made.size = size;
  return made;
}

TEST(FailedCheck, SaysWhatAnAccessDid) {
  EXPECT_EQ(failed_check("sum", kAccesses, report(1, 0, 400, 400)),
            "kernel sum, line 7: reads 4 bytes at offset 400 of x, which has 400 bytes");
  EXPECT_EQ(failed_check("sum", kAccesses, report(2, 1, ~std::uint64_t{3}, 1)),
            "kernel sum, line 12 of sum.h: writes 1 byte at offset -4 of y, which has 1 byte, and outside of z, table; "
            "1 more access is outside");
  EXPECT_EQ(failed_check("sum", kAccesses, report(4, 0, 8, 0)),
            "kernel sum, line 7: reads 4 bytes at offset 8 of x, which has 0 bytes; 3 more accesses are outside");
}

TEST(FailedCheck, SaysWhatOtherTrapsAre) {
  EXPECT_EQ(failed_check("k", kAll, report(1, 0)), "kernel k, line 3: divides by zero");
  EXPECT_EQ(failed_check("k", kAll, report(2, 0)), "kernel k, line 3: divides by zero; 1 more trap");
  EXPECT_EQ(failed_check("k", kAll, report(9, 2, 4, 4)),
            "kernel k, line 7: reads 4 bytes at offset 4 of x, which has 4 bytes; 8 more traps");
  EXPECT_EQ(failed_check("k", kAll, report(1, 1)), "kernel k, an unknown line: ends the launch");
}

TEST(TrapSite, HasLineFileAndKind) {
  TrapSite site = trap_site(kAccesses, report(1, 0));
  EXPECT_EQ(site.line, 7u);
  EXPECT_EQ(site.file, "");
  EXPECT_EQ(site.kind, TrapKind::out_of_bounds);
  site = trap_site(kAccesses, report(1, 1));
  EXPECT_EQ(site.line, 12u);
  EXPECT_EQ(site.file, "sum.h");
  EXPECT_EQ(trap_site(kAll, report(1, 0)).kind, TrapKind::division_by_zero);
  site = trap_site(kAll, report(1, 1));
  EXPECT_EQ(site.line, 0u);
  EXPECT_EQ(site.kind, TrapKind::terminated);
}

}  // namespace
}  // namespace skmd::cpu::test
