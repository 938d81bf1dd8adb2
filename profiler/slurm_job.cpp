// SPDX-License-Identifier: Apache-2.0
#include "profiler/slurm_job.h"

#include <algorithm>

#include "profiler/slurm_nodes.h"

namespace skmd::profiler {

using domain::Error;
using domain::Result;
using settings::Host;

SlurmJob slurm_job(const Environment& environment, const std::string& host_name) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  SlurmJob job;
  for (const char* variable : {"SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    job.nodes = value(variable);
    if (job.nodes.empty()) continue;
    job.variable = variable;
    break;
  }
  if (const std::string own = value("SLURMD_NODENAME"); !own.empty())
    job.own = {own};
  else
    job.own = {host_name, host_name.substr(0, host_name.find('.'))};
  return job;
}

Result<std::vector<Host>> with_slurm_nodes(std::string_view argument, const std::vector<Host>& hosts,
                                           const SlurmJob& job) {
  const auto found = std::find_if(hosts.begin(), hosts.end(), [](const Host& host) { return host.nodes_port != 0; });
  if (found == hosts.end()) return hosts;
  if (job.variable.empty())
    return Error{0, std::string(argument) + ": '" + found->name +
                        "' is the nodes of a SLURM job, and neither SLURM_JOB_NODELIST nor SLURM_NODELIST is set; "
                        "expected a SLURM job around skmd-run (a host of this name is written SLURM:PORT)"};
  const auto nodes = slurm_nodes(job.variable, job.nodes, settings::kMaxHosts + 1);  // and our own
  if (!nodes) return nodes.error();
  std::string list;
  const auto add = [&](const std::string& entry) { list += (list.empty() ? "" : ",") + entry; };
  for (const Host& host : hosts) {
    if (host.nodes_port == 0) {
      add(settings::text_of({host}));
      continue;
    }
    for (const std::string& node : *nodes)
      if (std::find(job.own.begin(), job.own.end(), node) == job.own.end())
        add(node + ":" + std::to_string(host.nodes_port));
  }
  return settings::parse_hosts(argument, list);
}

}  // namespace skmd::profiler
