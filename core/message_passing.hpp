#pragma once
// Message passing: TRW-S on pairwise terms, sequential reweighted messages on terms over more nodes.

#include <cstdint>
#include <map>

#include "dual_function.hpp"
#include "kernels/distance_transform.hpp"
#include "message_graph.hpp"

namespace fwmap {

/// What a sweep over the nodes did.
struct Sweep : Pass {
  double bound = -kInfinity;  ///< what the messages prove, as computed: no allowance for rounding
};

/// Block-coordinate ascent on the multipliers of a decomposition, one node after the other in the order of their
/// numbers, and back (Kolmogorov 2006 and 2015; written from the ideas of these papers).
///
/// Edges count one by one here, whatever forest they are in. Each holds, at both ends, a part of the node's costs:
/// a share of them less its message. A node takes back what the edges to nodes before it hold (their min-marginals),
/// and hands equal shares to the edges to nodes behind it: 1 / max(edges before, edges behind) each. Other terms take
/// part as edges with more ends. No such step lowers
///
///   sum over edges and other terms of their minimum + sum over nodes of the least of what they keep,
///
/// the bound of a sweep. The sum of the parts at the edges of a forest are its unaries: multipliers, exactly. As a
/// forest knows all its edges, its minimum is at least the sum of theirs: h(lambda) is no less than the sweep's bound.
///
/// Messages, and unaries above the node's lowest one, are cut off: what forbids, or costs as much, must not drown the
/// other costs' digits. A term keeps what is cut off of its own.
///
/// Operations of a sweep: those of one call of each oracle, and a few per edge and label. Memory: a number for each
/// end of an edge and label.
class MessagePassing {
 public:
  /// The decomposition must be connected and must outlive this. Starts at lambda = 0. Terms that are not over the labels
  /// of whole nodes keep the multipliers of the start.
  MessagePassing(Decomposition& decomposition, double highest_message, int threads = 1);

  /// Starts at other multipliers, over the slots of all terms: the bound of any sweep is at least h there.
  void start_from(std::span<const double> lambda);

  /// Counts on from an earlier solve.
  void count_from(std::int64_t iteration, std::int64_t oracle_calls, double work) {
    iteration_ = iteration;
    dual_.count_from(oracle_calls, work);
  }

  /// A sweep to the last node and one back: an iteration. Where the watch stops it, the messages are of no use.
  /// Infeasible: no labeling is allowed; `term` is without meaning.
  Sweep iterate(Watch& watch);

  /// Multipliers over the slots of all terms that the messages stand for: after an iteration they prove what it
  /// proves; before the first one they are those of the start.
  std::span<const double> multipliers();

  /// h at the multipliers, with A and B for its minimisers as y.
  Evaluation evaluate(Watch& watch);

  std::int64_t iteration() const { return iteration_; }
  const DualFunction& dual() const { return dual_; }
  DualFunction& dual() { return dual_; }

  /// Per variable of the decomposition the share of its terms' minimisers that has it.
  std::vector<double> marginals() const;

 private:
  Sweep sweep(bool forward, Watch& watch);
  bool take_node(Index node, Sweep& result);
  void pull(const EdgeEnd& end, Index node, double* message);
  void pull(const JointEnd& end, double* message);
  void sum_costs();
  bool is_complete(Index node) const;
  std::span<const double> share_of(const Member& member);
  void weigh(const JointEnd& end, bool holds_share);
  std::vector<std::pair<Index, Index>> choices() const;

  /// Whether, after the latest sweep, the values of an end are a share less its message, or the message alone.
  bool holds_share(const JointEnd& end) const { return forward_ ? !end.is_highest : !end.is_lowest; }

  double* values(const JointEnd& end) {
    return joint_values_.data() + graph_.joint(end.joint).first + graph_.member(end.member).coordinate;
  }

  double highest_message_;
  Decomposition& decomposition_;
  MessageGraph graph_;
  DualFunction dual_;
  std::vector<double> costs_;         // of all labels: unaries, cut off as messages are; inf forbids
  std::map<std::size_t, double> cut_;  // of labels whose cost was cut off: each member's share of what is left
  std::vector<double> values_;        // of the ends of edges, see `forward_`
  std::vector<double> joint_values_;  // of the nodes of other terms
  std::vector<double> weights_;       // of these terms' coordinates: as their oracles are called
  std::vector<double> lambda_;
  std::vector<double> belief_, message_, rest_, share_;  // scratch, of one node
  Envelope envelope_;
  // The latest sweep's direction. After one forward, edges hold shares less messages at the node before, and messages at the
  // node behind; after one backward the other way round. It is as if a sweep backward had gone before the first.
  bool forward_ = false, swept_ = false;
  std::int64_t iteration_ = 0;
  double sweep_operations_ = 0;
};

}  // namespace fwmap
