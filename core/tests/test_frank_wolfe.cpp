// Tests of the solver on small random fields, whose minimum brute force knows.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "check.hpp"
#include "frank_wolfe.hpp"
#include "graph/forest_cover.hpp"
#include "kernels/kernels.hpp"
#include "oracles/factor.hpp"
#include "small_forest.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

/// Stops when it is asked for the n-th time; counts how often it was asked.
struct Countdown final : Watch {
  explicit Countdown(std::int64_t n = std::int64_t{1} << 60) : remaining(n) {}
  bool stop() override {
    ++asked;
    return --remaining < 0;
  }
  std::int64_t remaining, asked = 0;
};

/// A field with an edge between some pairs of nodes, all kinds of costs, and one factor of three nodes.
struct SmallField {
  Forest graph;  // the "forest" has cycles here: nobody makes an oracle of the whole
  std::vector<Index> scope;
  std::vector<double> table;  // of the factor; empty: none
  double constant = 0;

  std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> result{0};
    for (const Index n : graph.n_labels) result.push_back(result.back() + n);
    return result;
  }

  Exact energy(const std::vector<Index>& labeling) const {
    Exact sum = exact_cost(graph, labeling) + constant;
    if (table.empty()) return sum;
    std::size_t entry = 0;
    for (const Index v : scope) entry = entry * index(graph.n_labels[index(v)]) + index(labeling[index(v)]);
    return sum + table[entry];
  }

  Exact minimum() const {
    Exact lowest = kInfinity;
    for_each_labeling(graph.n_labels, [&](const std::vector<Index>& labeling) {
      const Exact e = energy(labeling);
      if (e < lowest) lowest = e;
    });
    return lowest;
  }

  /// Forests of a minimum cover, of the nodes they touch, and the factor; each node's costs go to the first
  /// term that has it, and the factor shares the entries of an edge.
  std::unique_ptr<Decomposition> decompose() const {
    auto result = std::make_unique<Decomposition>(n_variables(), groups(), constant);
    std::vector<Edge> edges;
    for (const ForestEdge& edge : graph.edges) edges.push_back({edge.first, edge.second});
    const ForestCover cover = minimum_forest_cover(static_cast<std::int32_t>(graph.n_labels.size()), edges);
    std::vector<char> paid(graph.n_labels.size(), 0);
    for (std::int32_t f = 0; f < std::max(1, cover.n_forests); ++f) {
      Forest forest;
      forest.tables = graph.tables;
      std::vector<std::int64_t> variables;
      std::vector<Index> local(graph.n_labels.size(), -1);
      for (std::size_t v = 0; v < local.size(); ++v) {
        bool touched = f == 0;
        for (std::size_t e = 0; e < edges.size(); ++e)
          touched = touched || (cover.forest_of_edge[e] == f && (index(edges[e].u) == v || index(edges[e].v) == v));
        if (!touched) continue;
        local[v] = static_cast<Index>(forest.n_labels.size());
        forest.n_labels.push_back(graph.n_labels[v]);
        for (std::int64_t i = offsets()[v]; i < offsets()[v + 1]; ++i) {
          variables.push_back(i);
          forest.unaries.push_back(paid[v] ? 0 : graph.unaries[static_cast<std::size_t>(i)]);
        }
        paid[v] = 1;
      }
      std::int64_t entry = offsets().back();
      for (std::size_t e = 0; e < edges.size(); ++e) {
        ForestEdge edge = graph.edges[e];
        const std::int64_t size = graph.n_labels[index(edge.first)] * graph.n_labels[index(edge.second)];
        if (cover.forest_of_edge[e] == f) {
          for (std::int64_t i = 0; edge.shares_entries && i < size; ++i) variables.push_back(entry + i);
          edge.first = local[index(edge.first)];
          edge.second = local[index(edge.second)];
          forest.edges.push_back(edge);
        }
        if (edge.shares_entries) entry += size;
      }
      result->add(std::make_unique<ForestOracle>(std::move(forest)), variables, "forest " + std::to_string(f));
    }
    if (!table.empty()) add_factor(*result);
    result->connect();
    return result;
  }

  void add_factor(Decomposition& d) const {
    Factor factor;
    std::vector<std::int64_t> variables;
    for (const Index v : scope) {
      factor.n_labels.push_back(graph.n_labels[index(v)]);
      for (std::int64_t i = offsets()[index(v)]; i < offsets()[index(v) + 1]; ++i) variables.push_back(i);
    }
    factor.unaries.assign(variables.size(), 0);
    const auto owner = std::make_shared<const std::vector<double>>(table);
    factor.table = *owner;
    factor.owner = owner;
    std::int64_t entry = offsets().back();
    for (const ForestEdge& edge : graph.edges) {
      if (!edge.shares_entries) continue;
      const auto first = std::ranges::find(scope, edge.first), second = std::ranges::find(scope, edge.second);
      const std::int64_t size = graph.n_labels[index(edge.first)] * graph.n_labels[index(edge.second)];
      if (first < second && second != scope.end()) {
        factor.blocks.push_back({static_cast<Index>(first - scope.begin()), static_cast<Index>(second - scope.begin())});
        for (std::int64_t i = 0; i < size; ++i) variables.push_back(entry + i);
      }
      entry += size;
    }
    d.add(std::make_unique<FactorOracle>(std::move(factor)), variables, "factor");
  }

  std::int64_t n_variables() const { return groups().back(); }

  std::vector<std::int64_t> groups() const {
    std::vector<std::int64_t> result = offsets();
    for (const ForestEdge& edge : graph.edges)
      if (edge.shares_entries)
        result.push_back(result.back() + graph.n_labels[index(edge.first)] * graph.n_labels[index(edge.second)]);
    return result;
  }
};

SmallField random_field(Random& random, CostMaker cost, double forbidden, bool tree = false) {
  SmallField field;
  const Index n = integer(random, 3, 5);
  field.graph = random_forest(random, cost, {1, 1, 0, 0});
  field.graph.n_labels.clear();
  for (Index v = 0; v < n; ++v) field.graph.n_labels.push_back(integer(random, 1, 4));
  field.graph.unaries = random_vector(random, static_cast<std::size_t>(field.offsets().back()), cost, forbidden);
  field.constant = cost(random);
  std::vector<double> values;
  std::vector<std::int64_t> offsets{0};
  for (Index v = 1; v < n; ++v)
    for (Index u = 0; u < v; ++u) {
      if (tree ? u + 1 != v : !chance(random, 0.8)) continue;
      ForestEdge edge{u, v, random_structured_cost(random, cost), chance(random, 0.3)};
      if (chance(random, 0.5)) {
        edge.cost = {EdgeKind::kTable, static_cast<std::int64_t>(offsets.size()) - 1, 0, 0};
        const std::size_t size = index(field.graph.n_labels[index(u)] * field.graph.n_labels[index(v)]);
        for (const double entry : random_vector(random, size, cost, forbidden)) values.push_back(entry);
        offsets.push_back(static_cast<std::int64_t>(values.size()));
      }
      field.graph.edges.push_back(edge);
    }
  field.graph.tables = pool_of(std::move(values), offsets);
  if (!tree) {
    field.scope = {0, 1, n - 1};
    std::size_t size = 1;
    for (const Index v : field.scope) size *= index(field.graph.n_labels[index(v)]);
    field.table = random_vector(random, size, cost, forbidden / 2);
  }
  return field;
}

constexpr BlockStep kSteps[] = {{0}, {1}, {5}};

/// Calls visit(field, minimum, step) for feasible fields.
template <class Visit>
void for_each_field(int n, CostMaker cost, double forbidden, Visit visit) {
  Random random(1);
  for (int i = 0; i < n; ++i) {
    const SmallField field = random_field(random, cost, forbidden);
    const Exact minimum = field.minimum();
    if (minimum == kInfinity) continue;
    for (const BlockStep step : kSteps) visit(field, minimum, step);
  }
}

double objective_again(const FrankWolfe& solver) { return solver.point().objective(solver.proximal_weight()); }

bool objective_is_right(const FrankWolfe& solver, double tolerance = 1e-9) {
  return std::abs(solver.objective() - objective_again(solver)) <= tolerance * (1 + std::abs(solver.objective()));
}

/// One iteration: the passes, an evaluation, and sometimes a move of the centre.
Evaluation iterate(FrankWolfe& solver, Watch& watch, int iteration) {
  solver.exact_pass(watch);
  for (int k = 0; k < 3; ++k) solver.approximate_pass(watch);
  const Evaluation evaluation = solver.evaluate(watch);
  if (evaluation.complete && iteration % 3 == 2) solver.move_center(iteration % 2 == 0, iteration % 4 == 3 ? 0.5 : 0);
  return evaluation;
}

/// All that a run of some iterations prints.
std::vector<double> trace(Decomposition& d, BlockStep step, double c, std::uint64_t seed) {
  Countdown watch;
  FrankWolfe solver(d, seed, 4, step);
  solver.set_proximal_weight(c);
  std::vector<double> result{solver.initialize(watch).bound};
  for (int k = 0; k < 12; ++k) {
    const Evaluation e = iterate(solver, watch, k);
    for (const double x : {e.bound, e.value, e.A, e.A_best, solver.objective()}) result.push_back(x);
  }
  result.push_back(solver.work());
  return result;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void bounds_never_exceed_the_brute_force_minimum() {
  for (const CostMaker cost : {integer_cost, wild_cost})
    for_each_field(80, cost, 0.1, [](const SmallField& field, Exact minimum, BlockStep step) {
      const auto d = field.decompose();
      Countdown watch;
      FrankWolfe solver(*d, 3, 5, step);
      solver.set_proximal_weight(2);
      CHECK(solver.initialize(watch).bound <= minimum);
      for (int k = 0; k < 30; ++k) {
        const Evaluation e = iterate(solver, watch, k);
        CHECK(e.complete && !e.infeasible);
        CHECK(e.bound <= minimum && e.bound <= e.value);
        CHECK(e.value - e.bound <= 1e-9 * (1 + std::abs(e.value)) + 1e-5);
      }
    });
}

void bounds_hold_at_any_centre_however_far_from_zero_its_copies_sum() {
  Random random(7);
  for_each_field(60, integer_cost, 0.1, [&](const SmallField& field, Exact minimum, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 3, 5, step);
    for (const double scale : {1.0, 1e6, 1e14}) {
      std::vector<double> target = random_vector(random, d->n_slots(), real);
      for (double& x : target) x *= scale;
      solver.set_center(target);
      CHECK(solver.initialize(watch).bound <= minimum);
    }
  });
}

void on_a_tree_in_several_terms_the_bound_reaches_the_minimum() {
  Random random(2);
  for (int i = 0; i < 30; ++i) {
    const SmallField field = random_field(random, integer_cost, 0, true);
    for (const BlockStep step : kSteps) {
      // Each edge is a term of its own: relaxation and energy agree all the same.
      const std::vector<std::int64_t> offsets = field.offsets();
      Decomposition d(offsets.back(), offsets, field.constant);
      for (std::size_t e = 0; e < field.graph.edges.size(); ++e) {
        Forest forest;
        forest.tables = field.graph.tables;
        std::vector<std::int64_t> variables;
        ForestEdge edge = field.graph.edges[e];
        for (const Index v : {edge.first, edge.second}) {
          forest.n_labels.push_back(field.graph.n_labels[index(v)]);
          for (std::int64_t k = offsets[index(v)]; k < offsets[index(v) + 1]; ++k) {
            variables.push_back(k);
            const bool pays = v == edge.second || e == 0;  // a chain: 0-1, 1-2, ...
            forest.unaries.push_back(pays ? field.graph.unaries[static_cast<std::size_t>(k)] : 0);
          }
        }
        edge.first = 0;
        edge.second = 1;
        edge.shares_entries = false;
        forest.edges = {edge};
        d.add(std::make_unique<ForestOracle>(std::move(forest)), variables, "edge");
      }
      d.connect();
      Countdown watch;
      FrankWolfe solver(d, 3, 10, step);
      solver.set_proximal_weight(4);
      double best = solver.initialize(watch).bound;
      for (int k = 0; k < 400; ++k) {
        for (int pass = 0; pass < 3; ++pass) solver.exact_pass(watch);
        best = std::max(best, solver.evaluate(watch).bound);
        if (k % 2 == 1) solver.move_center(true, 0);
      }
      const auto minimum = static_cast<double>(field.minimum());
      CHECK(best <= minimum && best >= minimum - 0.05);
    }
  }
}

void the_objective_falls_by_what_passes_say_and_equals_the_definition() {
  for_each_field(60, real, 0.1, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 5, 3, step);
    solver.initialize(watch);
    CHECK(objective_is_right(solver));
    for (int k = 0; k < 40; ++k) {
      const double before = solver.objective();
      const Pass pass = k % 3 == 0 ? solver.exact_pass(watch) : solver.approximate_pass(watch);
      CHECK(pass.complete && !pass.infeasible && pass.work > 0);
      CHECK(pass.decrease >= 0);
      CHECK(std::abs(before - pass.decrease - solver.objective()) <= 1e-11);
      CHECK(objective_is_right(solver));
      if (k % 10 == 9) solver.set_proximal_weight(k % 20 == 9 ? 0.3 : 3);
      CHECK(objective_is_right(solver));
    }
  });
}

void a_single_step_is_the_exact_line_search() {
  for_each_field(60, real, 0, [](const SmallField& field, Exact, BlockStep) {
    const auto d = field.decompose();
    Countdown endless;
    FrankWolfe solver(*d, 5, 100, BlockStep{0});
    solver.set_proximal_weight(3);
    solver.initialize(endless);
    solver.exact_pass(endless);
    const DualPoint start = solver.point();  // a copy that may be moved about
    const auto calls = solver.oracle_calls();
    Countdown one(1);
    CHECK(!solver.exact_pass(one).complete);
    CHECK(solver.oracle_calls() == calls + 1);
    // The moved term is the one whose y or cost changed; its plane is the oracle's answer at its lambda.
    for (std::size_t t = 0; t < d->terms().size(); ++t) {
      Term& term = d->terms()[t];
      if (start.costs()[t] == solver.point().costs()[t] && std::ranges::equal(start.y(term), solver.point().y(term))) continue;
      std::vector<double> lambda(index(term.n_shared));
      start.lambda(term, 3, lambda);
      std::vector<Index> support;
      const Minimum minimum = term.minimize(lambda, support);
      while (!support.empty() && support.back() >= term.n_shared) support.pop_back();
      for (int k = 0; k <= 50; ++k) {
        DualPoint moved = start;
        moved.mix(term, support, k / 50.0);
        moved.costs()[t] += (k / 50.0) * (minimum.cost - moved.costs()[t]);
        CHECK(moved.objective(3) >= solver.objective() - 1e-12);
      }
    }
  });
}

void an_evaluation_is_that_of_the_current_multipliers() {
  for_each_field(60, real, 0.1, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 5, 6, step);
    solver.set_proximal_weight(2);
    double best = solver.initialize(watch).bound;
    for (int k = 0; k < 12; ++k) {
      solver.exact_pass(watch);
      const Evaluation e = solver.evaluate(watch);
      const std::vector<double>& lambda = solver.evaluated_lambda();
      double value = d->constant(), distance = 0;
      for (std::size_t t = 0; t < d->terms().size(); ++t) {
        Term& term = d->terms()[t];
        std::vector<double> expected(index(term.n_shared));
        solver.point().lambda(term, 2, expected);
        CHECK(std::equal(expected.begin(), expected.end(), lambda.begin() + static_cast<std::ptrdiff_t>(term.offset)));
        std::vector<Index> support;
        const Minimum minimum = term.minimize(expected, support);
        value += minimum.value;
        CHECK(minimum.cost == solver.minimizer_cost(t));
        CHECK(std::abs(term.oracle->cost(solver.minimizer(t)) - minimum.cost) <= 1e-12);  // in its own coordinates
      }
      for (std::size_t s = 0; s < lambda.size(); ++s) distance += std::pow(lambda[s] - solver.point().center()[s], 2);
      CHECK(std::abs(e.value - value) <= 1e-11);
      CHECK(std::abs(e.spread - distance / 2) <= 1e-10);
      CHECK(std::abs(e.A - (solver.point().linear(lambda) + d->constant() - value)) <= 1e-11);
      CHECK(e.A >= -1e-10 && e.B >= 0 && e.A_best >= -1e-10);
      CHECK(e.B == solver.point().disagreement());
      if (e.bound > best) CHECK(solver.best_lambda() == lambda);  // of equal bounds the first stays
      best = std::max(best, e.bound);
      if (k % 4 == 3) solver.move_center(true, 0);
    }
  });
}

void the_centre_goes_to_the_evaluated_point_and_beyond_it_with_momentum() {
  for_each_field(30, real, 0, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 5, 6, step);
    solver.initialize(watch);
    std::vector<double> previous;
    for (int k = 0; k < 6; ++k) {
      solver.exact_pass(watch);
      solver.evaluate(watch);
      const std::vector<double> base = solver.evaluated_lambda(), y(solver.point().all_y().begin(), solver.point().all_y().end());
      const double momentum = k % 2 == 0 ? 0.75 : 0;
      solver.move_center(false, momentum);
      for (std::size_t s = 0; s < base.size(); ++s) {
        const double expected = base[s] + (previous.empty() ? 0 : momentum * (base[s] - previous[s]));
        CHECK(std::abs(solver.point().center()[s] - expected) <= 1e-12);
        CHECK(std::abs(solver.point().all_y()[s] - y[s]) <= 1e-12);
      }
      CHECK(objective_is_right(solver));
      previous = base;
    }
  });
}

void marginals_are_distributions_of_every_node_while_nothing_is_evicted() {
  for_each_field(60, real, 0, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 5, 1000, step);
    solver.initialize(watch);
    for (int k = 0; k < 8; ++k) iterate(solver, watch, k);
    const std::vector<double> marginals = solver.marginals();
    const std::vector<std::int64_t> groups = field.groups();
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      double sum = 0;
      for (auto i = static_cast<std::size_t>(groups[g]); i < static_cast<std::size_t>(groups[g + 1]); ++i) {
        CHECK(marginals[i] >= -1e-12 && marginals[i] <= 1 + 1e-12);
        sum += marginals[i];
      }
      CHECK(std::abs(sum - 1) <= 1e-10);
    }
  });
}

void the_same_seed_gives_the_same_bits_with_every_kernel() {
  const char* widest = kernels().name;
  for_each_field(30, wild_cost, 0.1, [&](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    const std::vector<double> first = trace(*d, step, 2, 11);
    CHECK(same_bits(trace(*d, step, 2, 11), first));
    CHECK(use_kernels("baseline"));
    CHECK(same_bits(trace(*d, step, 2, 11), first));
    CHECK(use_kernels(widest));
  });
}

void costs_times_a_power_of_two_give_the_same_steps() {
  for_each_field(30, real, 0.1, [&](const SmallField& field, Exact, BlockStep step) {
    SmallField scaled = field;
    scaled.constant *= 8;
    for (double& u : scaled.graph.unaries) u *= 8;
    for (double& u : scaled.table) u *= 8;
    std::vector<double> values;
    std::vector<std::int64_t> offsets{0};
    for (ForestEdge& edge : scaled.graph.edges) {
      edge.cost.weight *= 8;
      if (edge.cost.kind != EdgeKind::kTable) continue;
      const double* table = field.graph.tables->table(edge.cost.table);
      for (std::size_t k = 0; k < field.graph.tables->size(edge.cost.table); ++k) values.push_back(8 * table[k]);
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
    scaled.graph.tables = pool_of(std::move(values), offsets);
    const auto d = field.decompose(), e = scaled.decompose();
    std::vector<double> expected = trace(*d, step, 2, 11);
    for (std::size_t k = 0; k + 1 < expected.size(); ++k) expected[k] *= 8;  // all but the work
    CHECK(same_bits(trace(*e, step, 16, 11), expected));
  });
}

void a_watch_stops_between_oracle_calls_and_the_state_stays_usable() {
  for_each_field(25, real, 0.1, [](const SmallField& field, Exact minimum, BlockStep step) {
    const auto d = field.decompose();
    const auto n_terms = static_cast<std::int64_t>(d->terms().size());
    for (std::int64_t stop = 0; stop <= n_terms; ++stop) {
      Countdown watch;
      FrankWolfe solver(*d, 5, 3, step);
      solver.initialize(watch);
      iterate(solver, watch, 0);
      for (const char what : {'x', 'a', 'e'}) {
        const auto calls = solver.oracle_calls();
        Countdown limited(stop);
        const Pass pass = what == 'x'   ? solver.exact_pass(limited)
                          : what == 'a' ? solver.approximate_pass(limited)
                                        : static_cast<const Pass&>(solver.evaluate(limited));
        CHECK(pass.complete == (stop == n_terms));
        CHECK(solver.oracle_calls() - calls == (what == 'a' ? 0 : stop));
        CHECK(limited.asked == std::min(stop + 1, n_terms));
        CHECK(objective_is_right(solver));
      }
      const double before = solver.objective();
      solver.move_center(false, 0.5);  // even from a half-evaluated point it is a valid centre
      CHECK(objective_is_right(solver) && std::isfinite(before));
      for (int k = 0; k < 6; ++k) CHECK(iterate(solver, watch, k).bound <= minimum);
    }
  });
}

void a_stopped_evaluation_gives_no_bound_and_keeps_the_best_point() {
  for_each_field(25, real, 0, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch, limited(1);
    FrankWolfe solver(*d, 5, 3, step);
    solver.initialize(watch);
    iterate(solver, watch, 0);
    const std::vector<double> best = solver.best_lambda();
    const Evaluation e = solver.evaluate(limited);
    if (d->terms().size() == 1) return;
    CHECK(!e.complete && e.bound == -kInfinity && e.value == -kInfinity);
    CHECK(solver.best_lambda() == best);
  });
}

void a_stopped_initialisation_may_be_repeated() {
  for_each_field(25, real, 0.1, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch, limited(1);
    FrankWolfe stopped(*d, 5, 3, step), fresh(*d, 5, 3, step);
    CHECK(stopped.initialize(limited).complete == (d->terms().size() == 1));
    const Evaluation a = stopped.initialize(watch), b = fresh.initialize(watch);
    CHECK(a.bound == b.bound && a.value == b.value && a.A == b.A);
    CHECK(stopped.objective() == fresh.objective() && objective_is_right(stopped));
    for (int k = 0; k < 4; ++k) CHECK(iterate(stopped, watch, k).bound == iterate(fresh, watch, k).bound);
  });
}

void an_exception_of_the_watch_leaves_the_state_usable() {
  struct Thrower final : Watch {
    bool stop() override {
      if (++asked == 2) throw std::runtime_error("enough");
      return false;
    }
    int asked = 0;
  };
  for_each_field(25, real, 0, [](const SmallField& field, Exact minimum, BlockStep step) {
    const auto d = field.decompose();
    if (d->terms().size() == 1) return;
    Countdown watch;
    FrankWolfe solver(*d, 5, 3, step);
    solver.initialize(watch);
    Thrower in_exact, in_approximate, in_evaluate;
    CHECK_THROWS(std::runtime_error, solver.exact_pass(in_exact));
    CHECK_THROWS(std::runtime_error, solver.approximate_pass(in_approximate));
    CHECK_THROWS(std::runtime_error, solver.evaluate(in_evaluate));
    CHECK(objective_is_right(solver));
    for (int k = 0; k < 4; ++k) CHECK(iterate(solver, watch, k).bound <= minimum);
  });
}

void a_term_without_a_feasible_labeling_is_named() {
  Random random(9);
  for (int i = 0; i < 30; ++i) {
    SmallField field = random_field(random, real, 0);
    std::ranges::fill(field.table, kInfinity);
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 5, 3, BlockStep{5});
    const Evaluation e = solver.initialize(watch);
    CHECK(e.infeasible && e.term == d->terms().size() - 1 && e.bound == -kInfinity);
  }
}

void old_planes_leave_and_y_stays() {
  for_each_field(40, real, 0, [](const SmallField& field, Exact, BlockStep step) {
    const auto d = field.decompose();
    Countdown watch;
    FrankWolfe solver(*d, 5, 1, step);
    solver.initialize(watch);
    for (int k = 0; k < 20; ++k) {
      solver.exact_pass(watch);
      for (std::size_t t = 0; t < d->terms().size(); ++t)
        for (std::size_t p = 0; p < solver.cache(t).size(); ++p)
          CHECK(solver.cache(t)[p].last_used >= solver.iteration() - 1);
      const std::vector<double> y(solver.point().all_y().begin(), solver.point().all_y().end());
      solver.set_center(std::vector<double>(solver.point().center().begin(), solver.point().center().end()));
      for (std::size_t s = 0; s < y.size(); ++s) CHECK(std::abs(solver.point().all_y()[s] - y[s]) <= 1e-12);
      CHECK(objective_is_right(solver));
    }
  });
}

const Test kTests[] = {
    TEST(bounds_never_exceed_the_brute_force_minimum),
    TEST(bounds_hold_at_any_centre_however_far_from_zero_its_copies_sum),
    TEST(on_a_tree_in_several_terms_the_bound_reaches_the_minimum),
    TEST(the_objective_falls_by_what_passes_say_and_equals_the_definition),
    TEST(a_single_step_is_the_exact_line_search),
    TEST(an_evaluation_is_that_of_the_current_multipliers),
    TEST(the_centre_goes_to_the_evaluated_point_and_beyond_it_with_momentum),
    TEST(marginals_are_distributions_of_every_node_while_nothing_is_evicted),
    TEST(the_same_seed_gives_the_same_bits_with_every_kernel),
    TEST(costs_times_a_power_of_two_give_the_same_steps),
    TEST(a_watch_stops_between_oracle_calls_and_the_state_stays_usable),
    TEST(a_stopped_evaluation_gives_no_bound_and_keeps_the_best_point),
    TEST(a_stopped_initialisation_may_be_repeated),
    TEST(an_exception_of_the_watch_leaves_the_state_usable),
    TEST(a_term_without_a_feasible_labeling_is_named),
    TEST(old_planes_leave_and_y_stays),
};

}  // namespace

int main() { return run_tests(kTests); }
