// SPDX-License-Identifier: Apache-2.0
// skmd-profile export, import and merge: samples from and to other machines.
#include <sys/utsname.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "profiler/commands/calibrated.h"
#include "profiler/commands/command.h"
#include "profiler/database/date.h"
#include "profiler/database/exchange.h"
#include "profiler/database/output_file.h"

namespace skmd::profiler {

namespace {

using nlohmann::json;
using Mode = ProfileDatabase::Mode;

ExchangeHead head_here() {
  ExchangeHead head;
  utsname system{};
  if (uname(&system) == 0) head.machine = std::string(system.sysname) + " " + system.machine;
  head.processor = processor_here();
  head.command = "skmd-profile export";
  head.date = today();
  return head;
}

int run_export(const ProfileOptions& general, const std::string& file) {
  const auto database = open_database(general, Mode::read_only);
  if (!database) return fail(general, database.error().reason);
  auto samples = database->samples();
  if (!samples) return fail(general, samples.error().reason);
  auto calibrations = database->calibrations();
  if (!calibrations) return fail(general, calibrations.error().reason);
  const std::size_t count = samples->size();
  const std::size_t measured = calibrations->devices.size() + calibrations->links.size();
  Exchange exchange{head_here(), std::move(*samples), std::move(*calibrations)};
  if (!exchange.samples.empty()) exchange.head.commit = exchange.samples.front().commit;
  const bool to_output = is_standard_output(file);
  if (const auto done = write_exchange(file, std::move(exchange)); !done) return fail(general, done.error().reason);
  if (to_output)  // which the samples have to themselves
    std::fprintf(stderr, "skmd-profile: %zu samples, %zu calibrations\n", count, measured);
  else if (general.as_json)
    print({{"version", 1}, {"file", file}, {"samples", count}, {"calibrations", measured}});
  else
    std::printf("%s: %zu samples, %zu calibrations\n", file.c_str(), count, measured);
  return kDone;
}

struct Incoming {
  Contribution contribution;
  std::optional<ExchangeHead> head = std::nullopt;  // of a file of samples
};

json document_of(const ExchangeHead& head) {
  return {{"machine", head.machine}, {"processor", head.processor}, {"devices", head.devices}, {"driver", head.driver},
          {"commit", head.commit},   {"command", head.command},     {"date", head.date},       {"tags", head.tags}};
}

/// What a file or another database brings.
domain::Result<Incoming> read_one(const std::string& file, bool is_database) {
  if (is_database) {
    const auto other = ProfileDatabase::open(file, Mode::read_only);
    if (!other) return other.error();
    auto brought = other->contribution();
    if (!brought) return brought.error();
    return Incoming{std::move(*brought)};
  }
  auto exchange = read_exchange(file);
  if (!exchange) return exchange.error();
  Incoming one;
  one.contribution.imported = std::move(exchange->samples);
  one.contribution.imported_calibrations = std::move(exchange->calibrations);
  one.head = std::move(exchange->head);
  return one;
}

std::size_t calibrations_in(const Contribution& one) {
  return one.measured_calibrations.devices.size() + one.measured_calibrations.links.size() +
         one.imported_calibrations.devices.size() + one.imported_calibrations.links.size();
}

int take_in(const ProfileOptions& general, const std::vector<std::string>& files, bool databases) {
  // All are read before anything is taken in.
  std::vector<Incoming> all;
  for (const std::string& file : files) {
    auto one = read_one(file, databases);
    if (!one) return fail(general, one.error().reason);
    all.push_back(std::move(*one));
  }
  auto database = open_database(general, Mode::create);
  if (!database) return fail(general, database.error().reason);
  json list = json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto merged = database->merge(all[i].contribution);
    if (!merged) return fail(general, files[i] + ": " + merged.error().reason);
    const std::size_t count = all[i].contribution.measured.size() + all[i].contribution.imported.size();
    const std::size_t calibrations = calibrations_in(all[i].contribution);
    list.push_back({{"file", files[i]},
                    {"samples", count},
                    {"new", merged->samples},
                    {"calibrations", calibrations},
                    {"new_calibrations", merged->calibrations}});
    if (all[i].head) list.back()["head"] = document_of(*all[i].head);
    if (!general.as_json)
      std::printf("%s: %zu samples, %zu of them new; %zu calibrations, %zu of them new\n", files[i].c_str(), count,
                  merged->samples, calibrations, merged->calibrations);
    if (!general.as_json && all[i].head && !all[i].head->date.empty())
      std::printf("  measured by %s, driver %s, commit %s, %s\n", all[i].head->processor.c_str(),
                  all[i].head->driver.c_str(), all[i].head->commit.c_str(), all[i].head->date.c_str());
  }
  if (general.as_json) print({{"version", 1}, {"files", list}});
  return kDone;
}

}  // namespace

std::function<int()> make_export(CLI::App& app, const ProfileOptions& general) {
  app.description("writes all samples and calibrations to a file, one JSON object a line, sorted");
  const auto file = std::make_shared<std::string>();
  app.add_option("FILE", *file, "the file; it is replaced; - for standard output")->required();
  return [&general, file] { return run_export(general, *file); };
}

std::function<int()> make_import(CLI::App& app, const ProfileOptions& general) {
  app.description("takes in files that export wrote; samples that are there already are passed over");
  const auto files = std::make_shared<std::vector<std::string>>();
  app.add_option("FILE", *files, "the files")->required();
  return [&general, files] { return take_in(general, *files, false); };
}

std::function<int()> make_merge(CLI::App& app, const ProfileOptions& general) {
  app.description("takes in the samples and calibrations of other databases, which stay as they are");
  const auto files = std::make_shared<std::vector<std::string>>();
  app.add_option("DB", *files, "the databases")->required();
  return [&general, files] { return take_in(general, *files, true); };
}

}  // namespace skmd::profiler
