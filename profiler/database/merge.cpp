// SPDX-License-Identifier: Apache-2.0
// One database's samples, counts and calibrations for another one.
#include "profiler/database/database.h"
#include "profiler/database/former_names.h"
#include "profiler/database/sqlite.h"
#include "profiler/database/writer.h"

namespace skmd::profiler {
namespace {

using domain::Result;
using domain::Status;

Result<std::vector<SeenCount>> counts_of(sqlite3* connection) {
  Statement statement(connection,
                      "SELECT program, kernels.name, form, platform, devices.name, driver, units, sources.name, count "
                      "FROM seen JOIN kernels ON kernels.id=kernel JOIN devices ON devices.id=device JOIN sources ON "
                      "sources.id=source");
  std::vector<SeenCount> counts;
  for (auto row = statement.step();; row = statement.step()) {
    if (!row) return row.error();
    if (!*row) return counts;
    counts.push_back({{statement.text(0), statement.text(1), statement.text(2)},
                      todays({statement.text(3), statement.text(4), statement.text(5),
                              static_cast<std::uint32_t>(statement.integer(6))}),
                      statement.text(7),
                      statement.integer(8)});
  }
}

Result<std::size_t> put_samples(Writer& writer, const std::vector<domain::ProfileSample>& samples,
                                const std::string& origin, Counted counted) {
  std::size_t added = 0;
  for (const auto& sample : samples) {
    const auto is_new = writer.add(sample, origin, counted);
    if (!is_new) return is_new.error();
    added += *is_new ? 1 : 0;
  }
  return added;
}

}  // namespace

Result<Contribution> ProfileDatabase::contribution() const {
  Contribution all;
  const auto take = [](auto result, auto& to) -> Status {
    if (!result) return result.error();
    to = std::move(*result);
    return {};
  };
  SampleFilter filter;
  for (const auto& [origin, to] : {std::pair("measured", &all.measured), std::pair("imported", &all.imported)}) {
    filter.origin = origin;
    if (Status done = take(samples(filter), *to); !done) return done.error();
  }
  if (Status done = take(calibrations("measured"), all.measured_calibrations); !done) return done.error();
  if (Status done = take(calibrations("imported"), all.imported_calibrations); !done) return done.error();
  const auto version = schema();
  if (!version) return version.error();
  if (*version >= 3)
    if (Status done = take(counts_of(connection_.get()), all.seen); !done) return done.error();
  return all;
}

Result<ProfileDatabase::Merged> ProfileDatabase::merge(const Contribution& other) {
  Transaction transaction(connection_.get());
  if (Status begun = transaction.begin(); !begun) return begun.error();
  const Counted counted = other.seen.empty() ? Counted::kept : Counted::none;
  Merged merged;
  {
    Writer writer(connection_.get(), limits_);
    for (const auto& [origin, samples] :
         {std::pair("measured", &other.measured), std::pair("imported", &other.imported)}) {
      const auto added = put_samples(writer, *samples, origin, counted);
      if (!added) return added.error();
      merged.samples += *added;
    }
    for (const SeenCount& seen : other.seen)
      if (Status done = writer.count(seen); !done) return done.error();
    if (Status done = writer.finish(); !done) return done.error();
  }
  for (const auto& [origin, calibrations] :
       {std::pair("measured", &other.measured_calibrations), std::pair("imported", &other.imported_calibrations)}) {
    const auto added = put_calibrations(connection_.get(), *calibrations, origin);
    if (!added) return added.error();
    merged.calibrations += *added;
  }
  if (Status done = transaction.commit(); !done) return done.error();
  return merged;
}

}  // namespace skmd::profiler
