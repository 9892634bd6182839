#pragma once
// The order in which a pass visits the terms.

#include <span>
#include <vector>

#include "decomposition.hpp"
#include "random.hpp"

namespace fwmap {

/// A random order in batches of terms that share no variable: they commute, so that a batch may be visited by several
/// threads. What a batch is depends on the decomposition, never on the threads.
///
/// A batch is no larger than is worth while for threads, and terms of which there are too few for that go one by one.
class VisitOrder {
 public:
  /// The decomposition must be connected.
  explicit VisitOrder(const Decomposition& decomposition);

  /// Another order.
  void shuffle(Random& random);

  std::size_t n_batches() const { return batches_.size(); }
  std::span<const std::size_t> batch(std::size_t k) const {
    return {terms_.data() + batches_[k].begin, batches_[k].end - batches_[k].begin};
  }

 private:
  struct Range {
    std::size_t begin, end;
  };
  std::vector<std::size_t> terms_;  // group by group
  std::vector<Range> shuffled_;     // groups in batches of several terms
  std::vector<Range> batches_;
};

}  // namespace fwmap
