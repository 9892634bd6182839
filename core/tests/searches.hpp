#pragma once
// What tests of searches for labelings share: many small fields without forbidden entries, and their optima.

#include <algorithm>
#include <cmath>

#include "small_field.hpp"

namespace fwmap::test {

using Labels = std::vector<Index>;

// Calls visit(labeling) for every labeling whose labels are among two given ones, or all labels where `two` is empty.
template <class Visit>
void for_each_labeling(const SmallField& e, const Labels& a, const Labels& b, Visit visit) {
  const std::size_t n = e.labeling.size();
  Labels choice(n, 0), labeling(n, 0);
  const auto choices = [&](std::size_t v) { return a.empty() ? e.n_labels[v] : Index{2}; };
  for (bool more = true; more;) {
    for (std::size_t v = 0; v < n; ++v) labeling[v] = a.empty() ? choice[v] : (choice[v] == 0 ? a[v] : b[v]);
    visit(labeling);
    more = false;
    for (std::size_t v = 0; v < n && !more; ++v) {
      more = ++choice[v] < choices(v);
      if (!more) choice[v] = 0;
    }
  }
}

inline double lowest(const SmallField& e, const Labels& a = {}, const Labels& b = {}) {
  double result = kInfinity;
  for_each_labeling(e, a, b, [&](const Labels& x) { result = std::min(result, e.energy(x).finite); });
  return result;
}

inline Labels random_labels(const SmallField& e, Random& random) {
  Labels result;
  for (const Index n : e.n_labels) result.push_back(static_cast<Index>(random.below(index(n))));
  return result;
}

inline std::vector<Index> all_nodes(const SmallField& e) {
  std::vector<Index> result;
  for (std::size_t v = 0; v < e.n_labels.size(); ++v) result.push_back(static_cast<Index>(v));
  return result;
}

template <class Visit>
void for_each_field(double density, bool factors, Visit visit) {
  Random random(3);
  for (const CostMaker cost : {integer_cost, real})
    for (int i = 0; i < 200; ++i) {
      SmallField example(random, cost, 0.0, density, factors);
      visit(example, std::make_shared<const FieldGraph>(example.field), random);
    }
}

inline bool near(double a, double b) { return std::abs(a - b) <= 1e-11 * (1 + std::abs(a) + std::abs(b)); }

}  // namespace fwmap::test
