// SPDX-License-Identifier: Apache-2.0
// SLURM's compact list of nodes, written out. Values in, values out.
#pragma once

#include <string>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// The names of `text`, as SLURM_JOB_NODELIST has them, in their order, each as often as it is there: comma-separated
/// names, in which brackets hold numbers and ranges, as `node[01-03,07],gpu5,rack[1-2]n[01-02]`. A range's numbers have
/// at least as many digits as its first; of several brackets the last one's numbers change first.
/// `variable`: what errors call the text. An error quotes the text and says at which character, from 1 on, it is wrong:
/// an empty name, a character that no host's name has, a bracket that is not closed or not open, what is in brackets
/// and is no number of at most 18 digits or range of such in rising order, a name that could be longer than
/// settings::kLongestHost, or the name by which there are more than `most`. What it costs does not grow with ranges.
domain::Result<std::vector<std::string>> slurm_nodes(const std::string& variable, const std::string& text,
                                                     std::size_t most);

}  // namespace skmd::profiler
