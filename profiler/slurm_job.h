// SPDX-License-Identifier: Apache-2.0
// `slurm` in a list of hosts: the nodes of the SLURM job in which skmd-run is. Values in, values out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/run_options.h"
#include "profiler/settings/host_list.h"

namespace skmd::profiler {

/// What a SLURM job's environment says.
struct SlurmJob {
  std::string variable;          // the one that lists the nodes; "": this is no job
  std::string nodes;             // its value
  std::vector<std::string> own;  // names, of which the node where we run has one
};

/// The nodes by SLURM_JOB_NODELIST, else SLURM_NODELIST, its older name; an empty one counts as not set. Our own node
/// by SLURMD_NODENAME, which SLURM sets on nodes, else `host_name` as it is and up to its first '.'.
SlurmJob slurm_job(const Environment& environment, const std::string& host_name);

/// `hosts` with each `slurm` or `slurm:PORT` replaced by HOST:PORT for each of the job's nodes but our own: by none
/// where we are the only one. An error names `argument`, or the variable and the place where it is wrong: this is no
/// job, its list is wrong (slurm_nodes()), or what comes of it is no list of hosts (settings::parse_hosts()), as where
/// a node is named twice or there are too many.
domain::Result<std::vector<settings::Host>> with_slurm_nodes(std::string_view argument,
                                                             const std::vector<settings::Host>& hosts,
                                                             const SlurmJob& job);

}  // namespace skmd::profiler
