// SPDX-License-Identifier: Apache-2.0
// Linear least squares; the solver of SKMD (TOCS 2015), section 3.3. The only file that uses Eigen. Thread-safe,
// without state.
#pragma once

#include <span>
#include <vector>

namespace skmd::domain {

/// `rows` rows of `columns` numbers each, row after row.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

/// The x >= 0 with the least |A·x - y| (Lawson and Hanson's active-set method). Columns may be of any scale; one
/// without any value but 0 gets 0. Precondition: y.size() == A.rows.
std::vector<double> nonnegative_least_squares(const Matrix& a, std::span<const double> y);

/// The x of least norm among those with the least |A·x - y|, columns scaled to a greatest value of 1.
std::vector<double> minimum_norm_least_squares(const Matrix& a, std::span<const double> y);

}  // namespace skmd::domain
