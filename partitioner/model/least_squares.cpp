// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/least_squares.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "partitioner/model/fit_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kNoGain = 1e-10;  // of |y|: what a column would gain below this is rounding

struct Scaled {
  Eigen::MatrixXd a;
  Eigen::VectorXd scale;
};

Scaled scaled(const Matrix& matrix) {
  Scaled result;
  result.a = Eigen::Map<const RowMajor>(matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
                                        static_cast<Eigen::Index>(matrix.columns));
  result.scale = result.a.cwiseAbs().colwise().maxCoeff();
  for (Eigen::Index column = 0; column < result.a.cols(); ++column) {
    double& scale = result.scale[column];
    if (!(scale > 0) || !std::isfinite(scale)) {
      scale = 1.0;
      result.a.col(column).setZero();
    }
    result.a.col(column) /= scale;
  }
  return result;
}

std::vector<double> unscaled(const Eigen::VectorXd& x, const Eigen::VectorXd& scale) {
  std::vector<double> result(static_cast<std::size_t>(x.size()));
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double value = x[i] / scale[i];
    result[static_cast<std::size_t>(i)] = std::isfinite(value) ? value : 0.0;
  }
  return result;
}

/// The least-squares solution over the columns in use, 0 elsewhere.
Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& y, const std::vector<Eigen::Index>& used) {
  const Eigen::MatrixXd part = a(Eigen::all, used);
  const Eigen::VectorXd z = part.colPivHouseholderQr().solve(y);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  for (std::size_t i = 0; i < used.size(); ++i) x[used[i]] = z[static_cast<Eigen::Index>(i)];
  return x;
}

/// Goes from x towards `target` until the first column in use would become negative; takes those at 0 out of use.
void step_within(Eigen::VectorXd& x, const Eigen::VectorXd& target, std::vector<Eigen::Index>& used) {
  double step = 1.0;
  for (const Eigen::Index i : used)
    if (target[i] <= 0) step = std::min(step, x[i] / std::max(x[i] - target[i], std::numeric_limits<double>::min()));
  x += step * (target - x);
  std::erase_if(used, [&](Eigen::Index i) { return target[i] <= 0 && x[i] <= 1e-14 * (1.0 + std::abs(target[i])); });
  Eigen::VectorXd kept = Eigen::VectorXd::Zero(x.size());
  for (const Eigen::Index i : used) kept[i] = x[i];
  x = kept;
}

}  // namespace

std::vector<double> nonnegative_least_squares(const Matrix& matrix, std::span<const double> values) {
  if (matrix.rows == 0 || matrix.columns == 0) return std::vector<double>(matrix.columns, 0.0);
  const Scaled system = scaled(matrix);
  const Eigen::Map<const Eigen::VectorXd> y(values.data(), static_cast<Eigen::Index>(values.size()));
  const double least = kNoGain * std::max(y.norm(), std::numeric_limits<double>::min());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(system.a.cols());
  std::vector<Eigen::Index> used;
  Eigen::Index refused = -1;  // came in and went out again at once, by rounding
  for (Eigen::Index round = 0; round < kRoundsPerColumn * system.a.cols(); ++round) {
    Eigen::VectorXd gain = system.a.transpose() * (y - system.a * x);
    for (const Eigen::Index i : used) gain[i] = 0.0;
    if (refused >= 0) gain[refused] = 0.0;
    Eigen::Index best = 0;
    if (gain.maxCoeff(&best) <= least) break;
    used.push_back(best);
    Eigen::VectorXd target = solve(system.a, y, used);
    refused = target[best] <= 0 ? best : -1;
    while (!used.empty() && std::any_of(used.begin(), used.end(), [&](Eigen::Index i) { return target[i] <= 0; })) {
      const std::size_t before = used.size();
      step_within(x, target, used);
      if (used.size() == before) used.pop_back();
      if (!used.empty()) target = solve(system.a, y, used);
    }
    x = used.empty() ? Eigen::VectorXd::Zero(x.size()).eval() : target;
  }
  return unscaled(x.cwiseMax(0.0), system.scale);
}

std::vector<double> minimum_norm_least_squares(const Matrix& matrix, std::span<const double> values) {
  if (matrix.rows == 0 || matrix.columns == 0) return std::vector<double>(matrix.columns, 0.0);
  const Scaled system = scaled(matrix);
  const Eigen::Map<const Eigen::VectorXd> y(values.data(), static_cast<Eigen::Index>(values.size()));
  return unscaled(system.a.completeOrthogonalDecomposition().solve(y), system.scale);
}

}  // namespace skmd::domain
