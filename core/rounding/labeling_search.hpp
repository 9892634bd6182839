#pragma once
// Iterated search around a labeling: descend by forest moves, kick a small part, descend there, keep what helps.

#include <memory>
#include <span>
#include <vector>

#include "rounding/elimination_moves.hpp"
#include "rounding/forest_moves.hpp"

namespace fwmap {

/// Everything here is random with the seed given, and counted: two searches with the same seed and the same calls
/// give the same labelings. The field's costs must be finite (see ForestMoves).
class LabelingSearch {
 public:
  LabelingSearch(std::shared_ptr<const FieldGraph> graph, std::uint64_t seed);

  /// Sweeps of forest moves over all nodes until some in a row gain nothing or the budget is spent.
  MoveOutcome descend(std::span<Index> labeling, double max_operations);

  /// For each node keeps the label or takes that of `other`, as far as forest moves find it better.
  MoveOutcome fuse(std::span<Index> labeling, std::span<const Index> other, double max_operations);

  /// For each label in turn, lets every node that has it take it (the move of alpha-expansion, solved by forest
  /// moves); once around.
  MoveOutcome expand(std::span<Index> labeling, double max_operations);

  /// Kicks and repairs until the budget is spent. A kick gives a few neighbouring nodes random labels, or those of
  /// one of the `guides` (labelings, one after the other); forest moves around it follow. What costs no more stays.
  MoveOutcome kick(std::span<Index> labeling, std::span<const Index> guides, double max_operations);

  /// Re-solves parts of all sizes by elimination (see EliminationMoves) until the budget is spent.
  MoveOutcome resolve(std::span<Index> labeling, double max_operations);

 private:
  void collect_ball(std::size_t size);
  double kick_nodes(std::size_t n_kicked, std::span<Index> labeling, std::span<const Index> guide, double* operations);

  std::shared_ptr<const FieldGraph> graph_;
  ForestMoves moves_;
  EliminationMoves eliminations_;
  Random random_;
  std::vector<Index> all_;            // nodes with a choice
  std::vector<Index> ball_, before_;  // nodes around a kick, and their labels before it
  std::vector<std::uint64_t> seen_;   // per node: the number of the last ball that met it
  std::uint64_t n_balls_ = 0;
};

}  // namespace fwmap
