#include "dual_point.hpp"

#include <algorithm>

#include "kernels/kernels.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

// Runs of a few slots are not worth a call through the table of kernels.
constexpr Index kShortRun = 8;

}  // namespace

DualPoint::DualPoint(const Decomposition& decomposition)
    : decomposition_(decomposition),
      y_(decomposition.n_slots(), 0.0),
      mu_(decomposition.n_slots(), 0.0),
      mean_(decomposition.n_shared(), 0.0),
      share_(decomposition.n_shared()),
      metric_(decomposition.n_shared()),
      cost_(decomposition.terms().size(), 0.0) {
  for (std::size_t i = 0; i < share_.size(); ++i) {
    share_[i] = 1.0 / static_cast<double>(decomposition.copies()[i]);
    metric_[i] = 1.0 - share_[i];
  }
}

DualPoint::Products DualPoint::lambda(const Term& term, double c, std::span<double> out) const {
  const Kernels& kernel = kernels();
  Products result;
  for (const Run& run : term.shared) {
    const std::size_t slot = index(run.slot), i = index(run.variable), n = index(run.length);
    const double* y = y_.data() + term.offset + slot;
    const double* mu = mu_.data() + term.offset + slot;
    if (run.length >= kShortRun) {
      kernel.dual_point(mu, y, mean_.data() + i, metric_.data() + i, c, n, out.data() + slot, &result.lambda_y,
                        &result.y_norm);
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double l = mu[k] + c * (y[k] - mean_[i + k]);
      out[slot + k] = l;
      result.lambda_y += l * y[k];
      result.y_norm += metric_[i + k] * (y[k] * y[k]);
    }
  }
  return result;
}

void DualPoint::mix(const Term& term, std::span<const Index> plane, double gamma) {
  const Kernels& kernel = kernels();
  std::size_t next = 0;  // in the plane
  for (const Run& run : term.shared) {
    const std::size_t slot = index(run.slot), i = index(run.variable), n = index(run.length);
    double* y = y_.data() + term.offset + slot;
    if (run.length >= kShortRun) {
      kernel.shrink(gamma, share_.data() + i, n, y, mean_.data() + i);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        const double lost = gamma * y[k];
        y[k] -= lost;
        mean_[i + k] -= share_[i + k] * lost;
      }
    }
    for (; next < plane.size() && plane[next] < run.slot + run.length; ++next) {
      const std::size_t k = index(plane[next]) - slot;
      y[k] += gamma;
      mean_[i + k] += share_[i + k] * gamma;
    }
  }
}

void DualPoint::follow(const Term& term, std::span<const double> before) {
  const double* y = y_.data() + term.offset;
  for (const Run& run : term.shared)
    for (std::size_t k = 0; k < index(run.length); ++k) {
      const std::size_t slot = index(run.slot) + k;
      const double change = y[slot] - before[slot];
      if (change == 0) continue;  // most of them: neither line of memory is touched
      const std::size_t i = index(run.variable) + k;
      mean_[i] += share_[i] * change;
    }
}

// Calls body(t, term) for all terms; it must change nothing but what is the term's.
template <class Body>
void DualPoint::each_term(Workers& workers, Body body) const {
  const std::vector<Term>& terms = decomposition_.terms();
  workers.each(terms.size(), kStream * static_cast<double>(y_.size()),
               [&](std::size_t t, std::size_t) { body(t, terms[t]); });
}

// Calls body(term) for all terms, in an order that is the same for each variable; it may change what is its variables'.
template <class Body>
void DualPoint::each_by_groups(Workers& workers, Body body) const {
  const std::vector<Term>& terms = decomposition_.terms();
  for (const TermGroup& group : decomposition_.term_groups()) {
    const double operations = kStream * static_cast<double>(y_.size() * group.terms.size()) / static_cast<double>(terms.size());
    (group.independent ? workers : Workers::alone()).each(group.terms.size(), operations, [&](std::size_t k, std::size_t) {
      body(terms[group.terms[k]]);
    });
  }
}

template <class Body>
double DualPoint::sum_over_terms(Workers& workers, Body body) const {
  std::vector<double> sums(decomposition_.terms().size());
  each_term(workers, [&](std::size_t t, const Term& term) { sums[t] = body(term); });
  double sum = 0;
  for (const double of_term : sums) sum += of_term;
  return sum;
}

void DualPoint::refresh_mean(Workers& workers) {
  workers.each_block(mean_.size(), 1, [&](std::size_t begin, std::size_t end) {
    std::fill(mean_.data() + begin, mean_.data() + end, 0.0);
  });
  each_by_groups(workers, [&](const Term& term) {
    for (const Run& run : term.shared) {
      const double* y = y_.data() + term.offset + index(run.slot);
      const std::size_t i = index(run.variable);
      for (std::size_t k = 0; k < index(run.length); ++k) mean_[i + k] += share_[i + k] * y[k];
    }
  });
}

void DualPoint::set_center(std::span<const double> target, Workers& workers) {
  std::vector<double> drift(mean_.size(), 0.0);
  each_by_groups(workers, [&](const Term& term) {
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k)
        drift[index(run.variable) + k] += target[term.offset + index(run.slot) + k];
  });
  each_term(workers, [&](std::size_t, const Term& term) {
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const std::size_t i = index(run.variable) + k, slot = term.offset + index(run.slot) + k;
        mu_[slot] = target[slot] - share_[i] * drift[i];
      }
  });
}

double DualPoint::linear(std::span<const double> lambda, Workers& workers) const {
  double costs = 0;
  for (const double cost : cost_) costs += cost;
  return costs + sum_over_terms(workers, [&](const Term& term) {
           double sum = 0;
           for (std::size_t slot = term.offset; slot < term.offset + size(term); ++slot) sum += lambda[slot] * y_[slot];
           return sum;
         });
}

double DualPoint::spread(Workers& workers) const {
  return sum_over_terms(workers, [&](const Term& term) {
    double sum = 0;
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const double d = y_[term.offset + index(run.slot) + k] - mean_[index(run.variable) + k];
        sum += d * d;
      }
    return sum;
  });
}

double DualPoint::objective(double c, Workers& workers) const { return linear(mu_, workers) + 0.5 * c * spread(workers); }

double DualPoint::disagreement(Workers& workers) const {
  std::vector<double> highest(mean_.size(), -kInfinity), lowest(mean_.size(), kInfinity);
  each_by_groups(workers, [&](const Term& term) {
    for (const Run& run : term.shared)
      for (std::size_t k = 0; k < index(run.length); ++k) {
        const double y = y_[term.offset + index(run.slot) + k];
        const std::size_t i = index(run.variable) + k;
        highest[i] = std::max(highest[i], y);
        lowest[i] = std::min(lowest[i], y);
      }
  });
  return workers.sum_blocks(mean_.size(), 1, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += highest[i] - lowest[i];
    return sum;
  });
}

}  // namespace fwmap
