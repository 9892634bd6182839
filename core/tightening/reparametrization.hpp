#pragma once
// The forests and cycles of a decomposition taken apart into nodes, edges and cycles, whose costs messages move about.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "decomposition.hpp"

namespace fwmap {

class ForestOracle;

/// A closed walk along edges of a reparametrization; edge i leads from node i to node i + 1, the last one to node 0.
struct EdgeCycle {
  std::vector<Index> edges;
  std::vector<char> flipped;  ///< per edge: its table's rows are the labels of the node it leads to
};

/// A cycle that may join, and what the bound gains by it at least.
struct CycleProposal {
  EdgeCycle cycle;
  double gain = 0;
};

/// sum_v theta_v(x_v) + sum_e theta_e(x_e) + sum_c theta_c(x): the forests' and the cycles' part of h, for any x the
/// same sum as before each step. Its bound is the sum of the minima of nodes, edges and cycles.
///
/// A tree is taken apart without loss: costs are passed on towards its root. Edges are numbered forest by forest, in
/// the oracles' order. Other terms take no part, their multipliers stay. Forbidden entries stay as they are; what
/// they exclude is told as the most that is told otherwise.
class Reparametrization {
 public:
  /// Takes the first `n_forests` terms, whose nodes are groups of the decomposition, and all cycles. `lambda` is over
  /// the slots of all terms.
  /// The decomposition must outlive this.
  Reparametrization(const Decomposition& decomposition, std::size_t n_forests, std::span<const double> lambda);

  /// Hands what nodes and edges know to all edges of each node in equal parts: no edge is favoured.
  void spread();

  /// Adds a cycle without costs.
  void add(EdgeCycle cycle);

  /// One sequence of messages through nodes, edges and cycles, in the order of the nodes or in the opposite one. The
  /// bound never falls but for rounding.
  void sweep(bool forward);

  /// The triangles of edges that raise the bound most, each by more than `least`, best first; all of them count as if
  /// they were alone. Those that are there already are left out. Gives up, with what it has, after so many operations.
  std::vector<CycleProposal> triangles(std::size_t most, double least, double max_operations);

  /// Cycles of at most `longest` edges, no two with a common edge, each found by an odd number of edges that want labels
  /// of their ends to be true or false differently (after Sontag, Choe and Li). Not all that gain are found.
  std::vector<CycleProposal> odd_cycles(std::size_t most, double least, std::size_t longest, double max_operations);

  /// The sum of the minima, as computed; inf where a node, an edge or a cycle allows nothing.
  double bound();

  /// The multipliers over the slots of a decomposition that has the forests and cycles of this, in this order, and the
  /// terms of the one it was made from; those keep `others`, over the slots of the one it was made from.
  std::vector<double> multipliers(const Decomposition& decomposition, std::span<const double> others) const;

  std::size_t n_edges() const { return edges_.size(); }
  std::size_t n_cycles() const { return cycles_.size(); }

  /// Operations so far.
  double work() const { return work_; }

 private:
  struct Edge {
    std::size_t first, second;      // nodes
    std::size_t rows, columns;      // their labels
    std::size_t table;              // place in tables_
    std::size_t moved[2];           // places in moved_: what went from the edge to its ends
  };
  struct Part {                     // an edge of a cycle
    std::size_t edge;
    bool flipped;
    std::size_t table;              // place in cycle_tables_
  };
  struct Incidence {
    std::size_t cycle, position;
    bool is_first, is_last;         // of the cycle's edges, in the order of the sweeps
  };
  struct Lowest {                   // entry of an edge's table
    double cost;
    std::size_t row, column;
  };

  enum class To { kLater, kEarlier, kAll };

  const ForestOracle* forest_of(std::size_t term) const;
  void take_forest(std::size_t term, std::span<const double> lambda);
  void take_cycle(const Term& term, std::span<const double> lambda);
  void order_edges();
  void to_end(std::size_t edge, int end, const double* values);
  void message(const Edge& edge, int end, double excluded, double* out);
  void edge_step(std::size_t edge, To to);
  void node_step(std::size_t node, To to);
  void around(const std::vector<Part>& parts, const double* tables, std::size_t position, double* out);
  template <class Visit>
  void for_each_link(const Edge& edge, Visit visit);
  void find_lowest();
  bool is_known(const EdgeCycle& cycle) const;
  double gain(const std::vector<Part>& parts);
  double gain_at_most(const std::vector<Part>& parts);
  std::vector<Part> parts_of(const EdgeCycle& cycle) const;
  const double* zeros(std::size_t n);
  std::size_t n_entries(std::size_t e) const { return edges_[e].rows * edges_[e].columns; }
  std::size_t labels(std::size_t node) const { return node_offsets_[node + 1] - node_offsets_[node]; }
  std::size_t from(const Part& part) const { return part.flipped ? edges_[part.edge].second : edges_[part.edge].first; }
  std::size_t to(const Part& part) const { return part.flipped ? edges_[part.edge].first : edges_[part.edge].second; }

  std::vector<std::size_t> node_offsets_;  // of labels
  std::vector<std::size_t> node_of_;       // of each label
  const Decomposition& decomposition_;
  std::size_t n_forests_;
  std::vector<double> nodes_;              // theta_v, over labels
  std::vector<int> n_trees_;               // of each node
  std::vector<Edge> edges_;
  std::vector<double> tables_, cycle_tables_, moved_;
  std::vector<std::vector<Part>> cycles_;
  std::vector<std::vector<Incidence>> cycles_of_;       // per edge
  std::vector<std::vector<std::size_t>> edges_of_;      // per node, by the other end
  std::unordered_map<std::size_t, Index> edge_of_entry_;  // by the variable of any shared entry
  std::vector<std::size_t> rank_;                       // of each edge in the sweeps
  std::vector<Lowest> lowest_;                          // of each edge, while cycles are looked for
  std::vector<double> message_, total_, around_, walk_, next_, zeros_;  // scratch
  double work_ = 0;
};

}  // namespace fwmap
