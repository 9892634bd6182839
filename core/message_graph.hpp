#pragma once
// A decomposition as message passing sees it: nodes, edges between two of them, and terms over several.

#include <vector>

#include "decomposition.hpp"
#include "oracles/pairwise_costs.hpp"

namespace fwmap {

inline constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();

/// A node of a term, and where the term's multipliers of its labels are.
struct Member {
  Index node;
  std::size_t term;
  std::size_t coordinate;  ///< of label 0, in the term's oracle
  std::size_t slot;        ///< of label 0, in arrays over the slots of all terms; kNoSlot: not shared
};

/// An edge of a forest term. Rows of its cost are labels of `first`.
struct MessageEdge {
  Index first, second;
  EdgeCost cost;
  const TablePool* tables;
  const double* entries;  ///< its table with other terms' multipliers; null: as `cost` says
};

/// One end of an edge. Values of an end are one per label of its node.
struct EdgeEnd {
  Index other, edge;
  std::uint32_t value, other_value;  ///< where the values of this end and of the other one begin
  std::uint32_t member;              ///< number of the node's member
};

/// One node of a term that is no forest. Its values are one per label, at Joint::first + coordinate.
struct JointEnd {
  Index joint;
  std::size_t member;
  bool is_lowest, is_highest;  ///< of the nodes of the term
};

/// A term that is no forest.
struct Joint {
  std::size_t term;
  std::size_t first;  ///< where the values of its coordinates begin
};

/// Items of each node, one node after the other.
template <class T>
struct PerNode {
  std::vector<std::size_t> begin;  ///< of each node, and the end
  std::vector<T> items;

  std::span<const T> of(Index node) const {
    const auto v = static_cast<std::size_t>(node);
    return {items.data() + begin[v], begin[v + 1] - begin[v]};
  }
};

/// Nodes are the groups of the decomposition, in whose order messages go; edges are numbered by their lower nodes, so
/// that a sweep streams all there is. Edges are those of the forest terms. Any
/// other term takes part where it is over whole nodes, and its oracle tells its unaries and min-marginals; the rest
/// of the terms is passed over.
class MessageGraph {
 public:
  /// Keeps pointers into the decomposition, which must be connected. Throws std::length_error beyond 2^32 values.
  explicit MessageGraph(const Decomposition& decomposition);

  Index n_nodes() const { return static_cast<Index>(offsets_.size() - 1); }
  std::size_t offset(Index node) const { return offsets_[static_cast<std::size_t>(node)]; }
  std::size_t labels(Index node) const { return offset(node + 1) - offset(node); }
  std::size_t n_labels() const { return offsets_.back(); }
  std::size_t most_labels() const { return most_labels_; }

  std::span<const EdgeEnd> below(Index node) const { return below_.of(node); }  ///< edges to nodes before it
  std::span<const EdgeEnd> above(Index node) const { return above_.of(node); }  ///< edges to nodes behind it
  std::span<const JointEnd> joints(Index node) const { return joint_ends_.of(node); }
  std::span<const Member> members(Index node) const { return members_.of(node); }
  const MessageEdge& edge(Index e) const { return edges_[static_cast<std::size_t>(e)]; }
  const Joint& joint(Index j) const { return joints_[static_cast<std::size_t>(j)]; }
  const Member& member(std::size_t number) const { return members_.items[number]; }

  std::size_t n_edge_values() const { return n_edge_values_; }
  std::size_t n_joint_values() const { return n_joint_values_; }

  /// The oracle's own unary costs of a member's labels.
  std::span<const double> unaries(const Member& member) const;

  /// Adds multipliers, over the slots of all terms, to the tables of edges that share their entries.
  void weigh_entries(std::span<const double> weights);

  /// An edge of a forest, from the child to its parent; children's edges come before their parents'.
  struct Upward {
    EdgeEnd child, parent;
  };
  std::vector<Upward> upward() const;

 private:
  using TermMembers = std::vector<std::vector<std::size_t>>;  // numbers, in the order of the coordinates

  std::vector<Member> members_of(std::size_t term, const std::vector<Index>& node_of) const;
  TermMembers find_members();
  void find_edges(const TermMembers& members);
  void find_joints(const TermMembers& members);

  const Decomposition& decomposition_;
  std::vector<std::size_t> offsets_;
  std::size_t most_labels_ = 1, n_edge_values_ = 0, n_joint_values_ = 0;
  PerNode<Member> members_;
  std::vector<MessageEdge> edges_;
  std::vector<std::size_t> first_edge_;  // of each term, and the end, in the order of the terms
  std::vector<Index> edge_number_;       // of each edge in that order
  std::vector<std::vector<double>> entries_;  // of edges that share theirs with other terms
  std::vector<Joint> joints_;
  PerNode<EdgeEnd> below_, above_;
  PerNode<JointEnd> joint_ends_;
};

}  // namespace fwmap
