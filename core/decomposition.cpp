#include "decomposition.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "poll.hpp"
#include "work.hpp"

namespace fwmap {
namespace {

// Appends slot -> variable, lengthening the last run where both go on by one.
void extend(std::vector<Run>& runs, Index slot, Index variable) {
  if (!runs.empty() && runs.back().slot + runs.back().length == slot && runs.back().variable + runs.back().length == variable)
    ++runs.back().length;
  else
    runs.push_back({slot, variable, 1});
}

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

double Term::operations() const { return oracle->operations() + kStream * 2 * static_cast<double>(n_shared) + kVisit; }

Minimum Term::minimize(std::span<const double> weights, std::vector<Index>& support) {
  if (coordinate_of.empty()) return oracle->minimize(weights, support);
  scattered.assign(coordinate_of.size(), 0.0);
  for (std::size_t slot = 0; slot < weights.size(); ++slot) scattered[index(coordinate_of[slot])] = weights[slot];
  const Minimum result = oracle->minimize(scattered, support);
  for (Index& i : support) i = slot_of[index(i)];
  std::sort(support.begin(), support.end());
  return result;
}

std::vector<Index> Term::coordinates(const std::vector<Index>& slots) const {
  std::vector<Index> result(slots);
  if (coordinate_of.empty()) return result;
  for (Index& i : result) i = coordinate_of[index(i)];
  std::sort(result.begin(), result.end());
  return result;
}

Decomposition::Decomposition(std::int64_t n_variables, std::vector<std::int64_t> groups, double constant)
    : n_variables_(0), constant_(constant), groups_(std::move(groups)) {
  if (n_variables < 0 || n_variables > std::numeric_limits<Index>::max())
    throw std::invalid_argument("a decomposition has " + std::to_string(n_variables) +
                                " variables; expected 0 to 2147483647");
  n_variables_ = static_cast<Index>(n_variables);
  if (!groups_.empty()) {
    const bool ordered = std::is_sorted(groups_.begin(), groups_.end());
    if (!ordered || groups_.front() != 0 || groups_.back() > n_variables)
      throw std::invalid_argument("groups must rise from 0 to at most the number of variables");
  }
}

void Decomposition::add(std::unique_ptr<Oracle> oracle, std::span<const std::int64_t> variables, std::string name) {
  poll();
  if (static_cast<std::int64_t>(variables.size()) != static_cast<std::int64_t>(oracle->n_coordinates()))
    throw std::invalid_argument(name + " has " + std::to_string(variables.size()) + " variables; expected " +
                                std::to_string(oracle->n_coordinates()) + " (its oracle's coordinates)");
  Term term;
  term.name = std::move(name);
  term.oracle = std::move(oracle);
  bool ascending = true;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    if (variables[k] < 0 || variables[k] >= n_variables_)
      throw std::invalid_argument(term.name + " names variable " + std::to_string(variables[k]) +
                                  "; expected 0 to " + std::to_string(n_variables_ - 1));
    ascending = ascending && (k == 0 || variables[k] > variables[k - 1]);
    extend(term.variables, static_cast<Index>(k), static_cast<Index>(variables[k]));
  }
  if (!ascending) {
    std::vector<std::int64_t> sorted(variables.begin(), variables.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      throw std::invalid_argument(term.name + " names variable " + std::to_string(*twice) + " twice");
  }
  terms_.push_back(std::move(term));
}

void Decomposition::connect() {
  std::vector<Index> count(index(n_variables_), 0);
  for (const Term& term : terms_)
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k) ++count[index(run.variable + k)];

  std::vector<Index> shared_of(index(n_variables_), -1);
  copies_.clear();
  variable_of_shared_.clear();
  for (Index i = 0; i < n_variables_; ++i)
    if (count[index(i)] >= 2) {
      shared_of[index(i)] = static_cast<Index>(copies_.size());
      copies_.push_back(count[index(i)]);
      variable_of_shared_.push_back(i);
    }

  group_shared_.clear();
  if (!groups_.empty()) {
    Index next = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      while (index(next) < variable_of_shared_.size() && variable_of_shared_[index(next)] < groups_[g]) ++next;
      group_shared_.push_back(next);
    }
  }

  n_slots_ = 0;
  for (Term& term : terms_) {
    term.offset = n_slots_;
    term.shared.clear();
    term.coordinate_of.clear();
    term.slot_of.clear();
    Index n_shared = 0, last_shared = -1, coordinate = 0;
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k, ++coordinate)
        if (shared_of[index(run.variable + k)] >= 0) {
          extend(term.shared, n_shared++, shared_of[index(run.variable + k)]);
          last_shared = coordinate;
        }
    term.n_shared = n_shared;
    n_slots_ += index(n_shared);
    if (last_shared + 1 == n_shared) continue;  // the shared coordinates already come first
    term.slot_of.resize(index(coordinate));
    term.coordinate_of.resize(index(coordinate));
    Index shared_slot = 0, private_slot = n_shared;
    coordinate = 0;
    for (const Run& run : term.variables)
      for (Index k = 0; k < run.length; ++k, ++coordinate) {
        const Index slot = shared_of[index(run.variable + k)] >= 0 ? shared_slot++ : private_slot++;
        term.slot_of[index(coordinate)] = slot;
        term.coordinate_of[index(slot)] = coordinate;
      }
  }
  group_terms();
}

void Decomposition::group_terms() {
  constexpr std::size_t kMost = 64;
  std::vector<std::uint64_t> met(copies_.size(), 0);  // of each shared variable: classes of the terms that have it
  std::vector<TermGroup> classes(kMost);
  TermGroup alone;  // terms that fit into no class, or are alone in theirs
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    std::uint64_t taken = 0;
    for (const Run& run : terms_[t].shared)
      for (Index k = 0; k < run.length; ++k) taken |= met[index(run.variable + k)];
    const auto place = static_cast<std::size_t>(std::countr_one(taken));
    TermGroup& group = place < kMost ? classes[place] : alone;
    group.terms.push_back(t);
    if (place == kMost) continue;
    for (const Run& run : terms_[t].shared)
      for (Index k = 0; k < run.length; ++k) met[index(run.variable + k)] |= std::uint64_t{1} << place;
  }
  term_groups_.clear();
  for (TermGroup& group : classes) {
    group.independent = group.terms.size() > 1;
    if (group.independent)
      term_groups_.push_back(std::move(group));
    else
      alone.terms.insert(alone.terms.end(), group.terms.begin(), group.terms.end());
  }
  std::sort(alone.terms.begin(), alone.terms.end());
  if (!alone.terms.empty()) term_groups_.push_back(std::move(alone));
  for (TermGroup& group : term_groups_)
    for (const std::size_t t : group.terms) group.operations += terms_[t].operations();
}

bool Decomposition::any_thread() const {
  return std::ranges::all_of(terms_, [](const Term& term) { return term.oracle->any_thread(); });
}

double Decomposition::worst_residual(std::span<const double> residual) const {
  double sum = 0;
  const std::size_t first_free = groups_.empty() ? 0 : index(group_shared_.back());
  for (std::size_t i = first_free; i < residual.size(); ++i) sum += std::max(0.0, residual[i]);
  if (groups_.empty()) return sum;
  for (std::size_t g = 0; g + 1 < group_shared_.size(); ++g) {
    const Index begin = group_shared_[g], end = group_shared_[g + 1];
    if (begin == end) continue;
    const bool all_shared = end - begin == groups_[g + 1] - groups_[g];
    double worst = all_shared ? -kInfinity : 0.0;  // a label that is not shared has residual 0
    for (Index i = begin; i < end; ++i) worst = std::max(worst, residual[index(i)]);
    sum += worst;
  }
  return sum;
}

}  // namespace fwmap
