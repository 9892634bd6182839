#include "visit_order.hpp"

#include <algorithm>

namespace fwmap {
namespace {

constexpr double kBatch = 1e6;        // operations: some times as long as threads take to meet
constexpr std::size_t kTerms = 32;    // of a batch, where there are so many

}  // namespace

VisitOrder::VisitOrder(const Decomposition& decomposition) {
  for (const TermGroup& group : decomposition.term_groups()) {
    const std::size_t begin = terms_.size(), size = group.terms.size();
    terms_.insert(terms_.end(), group.terms.begin(), group.terms.end());
    const bool pays = group.independent && group.operations >= kBatch;
    const std::size_t n = pays ? std::max<std::size_t>(1, std::min(size / kTerms, static_cast<std::size_t>(group.operations / kBatch))) : size;
    for (std::size_t k = 0; k < n; ++k) batches_.push_back({begin + k * size / n, begin + (k + 1) * size / n});
    if (pays) shuffled_.push_back({begin, begin + size});
  }
  std::ranges::sort(batches_, {}, [&](const Range& batch) { return terms_[batch.begin]; });
}

void VisitOrder::shuffle(Random& random) {
  for (const Range& group : shuffled_) random.shuffle(std::span(terms_).subspan(group.begin, group.end - group.begin));
  random.shuffle(batches_);
}

}  // namespace fwmap
