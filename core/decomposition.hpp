#pragma once
// The energy as a sum of terms that share coordinates (eq. 1 of the paper).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "oracle.hpp"

namespace fwmap {

/// `length` consecutive slots of a term that are consecutive variables: arrays over slots and arrays over
/// variables are streamed side by side, without gathers.
struct Run {
  Index slot, variable, length;
};

/// f_t together with A_t. The slots of a term are its oracle's coordinates, shared ones (|T_i| >= 2) first.
struct Term {
  std::string name;
  std::unique_ptr<Oracle> oracle;
  std::vector<Run> variables;         ///< oracle coordinate -> variable (the paper's map_t)
  Index n_shared = 0;                 ///< shared slots
  std::size_t offset = 0;             ///< of its shared slots in arrays over all terms
  std::vector<Run> shared;            ///< shared slot -> number of the shared variable
  std::vector<Index> coordinate_of;   ///< slot -> oracle coordinate; empty: the identity
  std::vector<Index> slot_of;         ///< and back

  /// Operations of a visit: a call of the oracle, and lambda written and read.
  double operations() const;

  /// Calls the oracle with weights on the shared slots; `support` holds slots, ascending.
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support);

  /// The oracle's coordinates of some slots, ascending.
  std::vector<Index> coordinates(const std::vector<Index>& slots) const;

  std::vector<double> scattered;  // scratch: weights in the oracle's order
};

/// Terms that several threads may work on at the same time, each on one.
struct TermGroup {
  std::vector<std::size_t> terms;
  bool independent = false;  ///< no two of them share a variable: they may change what is kept of their variables, too
  double operations = 0;     ///< of one call of each oracle
};

/// Terms and the variables they share.
///
/// Variables are Booleans numbered from 0. Of the variables groups[g] .. groups[g + 1] - 1 exactly one is 1 in every
/// labeling (the labels of a node). Variables behind the last group, or all where there is none, are free Booleans.
class Decomposition {
 public:
  Decomposition(std::int64_t n_variables, std::vector<std::int64_t> groups, double constant);
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;

  /// Adds a term. `variables[k]` is the variable of the oracle's coordinate k; no variable twice.
  /// Throws std::invalid_argument naming what is wrong.
  void add(std::unique_ptr<Oracle> oracle, std::span<const std::int64_t> variables, std::string name);

  /// Finds out what is shared. Must be called after the last `add` and before a solver is made.
  void connect();

  std::vector<Term>& terms() { return terms_; }
  const std::vector<Term>& terms() const { return terms_; }
  Index n_variables() const { return n_variables_; }
  double constant() const { return constant_; }
  const std::vector<std::int64_t>& groups() const { return groups_; }

  /// All terms once: those that share no variable with each other, as many as first fit finds in the order of the
  /// terms, and together those that fit nowhere.
  const std::vector<TermGroup>& term_groups() const { return term_groups_; }

  /// Whether all oracles may be called by any thread.
  bool any_thread() const;

  std::size_t n_slots() const { return n_slots_; }  ///< sum over terms of their shared slots
  std::size_t n_shared() const { return copies_.size(); }
  const std::vector<Index>& copies() const { return copies_; }  ///< |T_i| of each shared variable
  const std::vector<Index>& variable_of_shared() const { return variable_of_shared_; }

  /// sum over groups of the largest residual of a label, and over free variables of max(0, residual).
  /// `residual` is over shared variables (docs/theory.md).
  double worst_residual(std::span<const double> residual) const;

 private:
  void group_terms();

  Index n_variables_;
  double constant_;
  std::vector<std::int64_t> groups_;
  std::vector<Term> terms_;
  std::size_t n_slots_ = 0;
  std::vector<Index> copies_, variable_of_shared_;
  std::vector<TermGroup> term_groups_;
  std::vector<Index> group_shared_;  // first shared variable of each group, and the end
};

}  // namespace fwmap
