// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/empty_op.h"

namespace skmd::icd {
namespace {

struct IsEmpty {
  bool operator()(const WriteOp& op) const { return op.rows.width == 0 || op.rows.rows == 0; }
  bool operator()(const ReadOp& op) const { return op.rows.width == 0 || op.rows.rows == 0; }
  bool operator()(const WriteImageOp& op) const { return op.rows.width == 0 || op.rows.rows == 0; }
  bool operator()(const ReadImageOp& op) const { return op.rows.width == 0 || op.rows.rows == 0; }
  bool operator()(const FillOp& op) const { return op.bytes == 0; }
  bool operator()(const CopyOp& op) const { return op.bytes == 0; }
  bool operator()(const CopyRectOp& op) const { return op.region[0] == 0 || op.region[1] == 0 || op.region[2] == 0; }
  bool operator()(const RunOp& op) const {
    return op.range.global[0] == 0 || op.range.global[1] == 0 || op.range.global[2] == 0;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

bool is_empty(const Op& op) { return std::visit(IsEmpty{}, op); }

}  // namespace skmd::icd
