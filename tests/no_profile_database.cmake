# Read by ctest before the tests: they neither see nor leave samples in the user's profile database. Those that are about
# it name one of their own.
set(ENV{SKMD_PROFILE_DB} off)
