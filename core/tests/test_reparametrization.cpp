// Tests of reparametrizations of a complete graph of four nodes in two trees, with triangles that join.

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "exact.hpp"
#include "oracles/cycle.hpp"
#include "oracles/forest.hpp"
#include "small_forest.hpp"
#include "tightening/reparametrization.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

constexpr Index kNodes = 4;
constexpr Index kEnds[6][2] = {{0, 1}, {2, 1}, {2, 3}, {0, 2}, {3, 0}, {1, 3}};  // two paths of three edges

struct CompleteField {
  std::vector<Index> n_labels;
  std::vector<double> unaries[2];  // of both trees, over all labels
  std::vector<double> tables[6];
  std::vector<double> lambda;      // of the first tree, over all labels; the second one has the opposite

  CompleteField(Random& random, double forbidden) {
    std::int64_t n = 0;
    for (Index v = 0; v < kNodes; ++v) n += n_labels.emplace_back(integer(random, 1, 4));
    for (auto& costs : unaries) costs = random_vector(random, static_cast<std::size_t>(n), real);
    for (int e = 0; e < 6; ++e)
      tables[e] = random_vector(random, index(n_labels[index(kEnds[e][0])] * n_labels[index(kEnds[e][1])]), real, forbidden);
    lambda = random_vector(random, static_cast<std::size_t>(n), real);
  }

  std::int64_t n_all() const { return static_cast<std::int64_t>(lambda.size()); }
  std::int64_t first_label(Index v) const {
    std::int64_t sum = 0;
    for (Index u = 0; u < v; ++u) sum += n_labels[index(u)];
    return sum;
  }

  // The two trees, and cycles that share entries of edges with them.
  std::unique_ptr<Decomposition> decomposition(const std::vector<EdgeCycle>& cycles) const {
    std::vector<std::int64_t> groups{0}, entries;
    for (const Index n : n_labels) groups.push_back(groups.back() + n);
    bool shared[6] = {};
    for (const EdgeCycle& cycle : cycles)
      for (const Index e : cycle.edges) shared[e] = true;
    for (int e = 0; e < 6; ++e) {
      entries.push_back(groups.back());
      if (shared[e]) groups.push_back(groups.back() + static_cast<std::int64_t>(tables[e].size()));
    }
    const auto add_entries = [&](std::size_t e, std::vector<std::int64_t>& variables) {
      for (std::size_t k = 0; k < tables[e].size(); ++k) variables.push_back(entries[e] + static_cast<std::int64_t>(k));
    };
    auto d = std::make_unique<Decomposition>(groups.back(), groups, 0.25);
    for (std::size_t t = 0; t < 2; ++t) {
      Forest forest;
      forest.n_labels = n_labels;
      forest.unaries = unaries[t];
      std::vector<double> values;
      std::vector<std::int64_t> offsets{0}, variables;
      for (std::int64_t i = 0; i < n_all(); ++i) variables.push_back(i);
      for (std::size_t e = 3 * t; e < 3 * t + 3; ++e) {
        forest.edges.push_back({kEnds[e][0], kEnds[e][1], {EdgeKind::kTable, static_cast<std::int64_t>(e - 3 * t), 0, 0}, shared[e]});
        values.insert(values.end(), tables[e].begin(), tables[e].end());
        offsets.push_back(static_cast<std::int64_t>(values.size()));
        if (shared[e]) add_entries(e, variables);
      }
      forest.tables = pool_of(std::move(values), offsets);
      d->add(std::make_unique<ForestOracle>(std::move(forest)), variables, "tree");
    }
    for (const EdgeCycle& cycle : cycles) {
      Cycle own;
      std::vector<std::int64_t> variables;
      for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
        const auto e = index(cycle.edges[i]);
        own.n_labels.push_back(n_labels[index(kEnds[e][cycle.flipped[i] ? 1 : 0])]);
        own.flipped.push_back(cycle.flipped[i]);
        for (const double cost : tables[e]) own.forbidden.push_back(cost == kInfinity);
        add_entries(e, variables);
      }
      d->add(std::make_unique<CycleOracle>(std::move(own)), variables, "cycle");
    }
    d->connect();
    return d;
  }

  std::vector<double> multipliers() const {
    std::vector<double> result(lambda);
    for (const double l : lambda) result.push_back(-l);
    return result;
  }
};

double minima(Decomposition& d, const std::vector<double>& lambda) {
  double sum = d.constant();
  std::vector<Index> support;
  for (Term& term : d.terms())
    sum += term.minimize(std::span<const double>(lambda).subspan(term.offset, index(term.n_shared)), support).value;
  return sum;
}

template <class Visit>
void for_each_field(Visit visit) {
  Random random(17);
  for (const double forbidden : {0.0, 0.15, 0.4})
    for (int i = 0; i < 200; ++i) visit(CompleteField(random, forbidden));
}

void trees_are_taken_apart_without_loss() {
  for_each_field([](const CompleteField& field) {
    const auto d = field.decomposition({});
    const std::vector<double> lambda = field.multipliers();
    const double expected = minima(*d, lambda);
    if (expected == kInfinity) return;
    CHECK(std::abs(Reparametrization(*d, 2, lambda).bound() - expected) < 1e-9);
  });
}

void messages_and_cycles_never_lower_the_bound_and_multipliers_prove_it() {
  int tightened = 0;
  for_each_field([&](const CompleteField& field) {
    const auto d = field.decomposition({});
    const std::vector<double> lambda = field.multipliers();
    const double first = minima(*d, lambda);
    if (first == kInfinity) return;
    Reparametrization dual(*d, 2, lambda);
    dual.spread();
    double bound = dual.bound();
    CHECK(bound > first - 1e-9);
    for (int k = 0; k < 4; ++k) {
      dual.sweep(k % 2 == 0);
      CHECK(dual.bound() >= bound - 1e-9);
      bound = dual.bound();
    }
    dual.spread();
    std::vector<EdgeCycle> cycles;
    double gain = 0;
    for (CycleProposal& one : dual.triangles(4, 1e-6, 1e9)) {
      gain = std::max(gain, one.gain);
      dual.add(one.cycle);
      cycles.push_back(std::move(one.cycle));
    }
    CHECK(dual.triangles(4, 1e-6, 1e9).size() + cycles.size() <= 4);  // none a second time
    for (int k = 0; k < 6; ++k) {
      dual.sweep(k % 2 == 0);
      CHECK(dual.bound() >= bound - 1e-9);
      bound = dual.bound();
    }
    tightened += !cycles.empty();
    const auto tighter = field.decomposition(cycles);
    const std::vector<double> found = dual.multipliers(*tighter, lambda);
    CHECK(minima(*tighter, found) >= bound - 1e-9);
    std::vector<double> sums(static_cast<std::size_t>(tighter->n_variables()), 0.0);
    for (const Term& term : tighter->terms())
      for (const Run& run : term.shared)
        for (Index k = 0; k < run.length; ++k)
          sums[index(tighter->variable_of_shared()[index(run.variable + k)])] += found[term.offset + index(run.slot + k)];
    for (const double sum : sums) CHECK(std::abs(sum) < 1e-9);
    // Read again from the tighter decomposition, nothing is lost.
    Reparametrization again(*tighter, 2, found);
    CHECK(again.n_cycles() == cycles.size());
    CHECK(again.bound() >= bound - 1e-9);
    again.spread();
    again.sweep(true);
    CHECK(minima(*tighter, again.multipliers(*tighter, found)) >= bound - 1e-9);
  });
  CHECK(tightened > 50);
}

void a_gain_is_what_the_three_edges_cost_more_together() {
  // Two labels that must differ along each edge of a triangle: 1 less than three edges alone could reach.
  Random random(1);
  CompleteField field(random, 0);
  field.n_labels.assign(kNodes, 2);
  field.lambda.assign(8, 0.0);
  for (auto& costs : field.unaries) costs.assign(8, 0.0);
  for (auto& table : field.tables) table = {1, 0, 0, 1};
  const auto d = field.decomposition({});
  Reparametrization dual(*d, 2, field.multipliers());
  const std::vector<CycleProposal> found = dual.triangles(10, 0.5, 1e9);
  CHECK(found.size() == 4);
  for (const CycleProposal& one : found) CHECK(one.gain == 1);
  CHECK(dual.triangles(2, 0.5, 1e9).size() == 2);
  CHECK(dual.triangles(2, 1.5, 1e9).empty());
}

const Test kTests[] = {
    TEST(trees_are_taken_apart_without_loss),
    TEST(messages_and_cycles_never_lower_the_bound_and_multipliers_prove_it),
    TEST(a_gain_is_what_the_three_edges_cost_more_together),
};

}  // namespace

int main() { return run_tests(kTests); }
