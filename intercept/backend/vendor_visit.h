// SPDX-License-Identifier: Apache-2.0
// Which threads of ours may be inside a vendor's driver when the process ends.
#pragma once

namespace skmd::icd {

/// For as long as a thread of ours does work of which nobody may be waiting for the end: the application goes on when
/// its results are there, and may exit while the thread is still on its way out of the driver, which exit() takes down.
class VendorVisit {
 public:
  VendorVisit();
  ~VendorVisit();
  VendorVisit(const VendorVisit&) = delete;
  VendorVisit& operator=(const VendorVisit&) = delete;
};

/// From now on exit() waits until no thread is on a visit, at most a tenth of a second: who exits with work under way
/// is on its own. What is registered last runs first, so this is for after a driver has been used.
void let_visits_end_at_exit();

}  // namespace skmd::icd
