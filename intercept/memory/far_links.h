// SPDX-License-Identifier: Apache-2.0
// Links to other machines: which devices share one, what it can do, and what is told of it.
#pragma once

#include "intercept/machine/machine.h"

namespace skmd::icd {

/// Makes the devices of each other machine share its link (LinkRates), has the links measured when the first program
/// is built for one of them, and tells the observer of the hosts. Once, before the devices are used.
void set_up_far_links(Machine& machine);

/// Measures every link that was not measured yet, on a thread of the executor: some small transfers and a larger one
/// each way, of a scratch buffer on the host's first device, which take some 10 ms. Returns at once; does something at
/// the first call only. Not before another machine may be of use: the transfers take the processor from an application
/// that is over soon. Thread-safe.
void measure_far_links(Machine& machine);

/// Tells the observer what is known of the hosts now: rates, and whether all devices of one are set aside. Thread-safe;
/// does nothing where there are none.
void report_hosts(const Machine& machine);

}  // namespace skmd::icd
