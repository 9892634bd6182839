// The same bits whatever the number of threads.

#include <cstring>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "exact.hpp"
#include "frank_wolfe.hpp"
#include "free_oracle.hpp"
#include "message_passing.hpp"
#include "small_forest.hpp"
#include "visit_order.hpp"

namespace fwmap::test {
namespace {

constexpr Index kSide = 72, kLabels = 16;

/// A square grid as rows and columns, and three terms over random nodes that overlap with each other and with those.
std::unique_ptr<Decomposition> grid() {
  Random random(7);
  std::vector<std::int64_t> groups;
  for (Index v = 0; v <= kSide * kSide; ++v) groups.push_back(v * kLabels);
  auto d = std::make_unique<Decomposition>(groups.back(), groups, 0.5);
  const auto add = [&](const std::vector<Index>& nodes, bool path) {
    Forest forest;
    forest.tables = pool_of({}, {0});
    std::vector<std::int64_t> variables;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      forest.n_labels.push_back(kLabels);
      for (Index a = 0; a < kLabels; ++a) variables.push_back(nodes[k] * kLabels + a);
      if (path && k > 0) forest.edges.push_back({static_cast<Index>(k - 1), static_cast<Index>(k), {EdgeKind::kPotts, -1, 0.3, 0}});
    }
    forest.unaries = random_vector(random, variables.size(), real);
    d->add(std::make_unique<ForestOracle>(std::move(forest)), variables, "term");
  };
  for (Index k = 0; k < kSide; ++k)
    for (const Index step : {1, kSide}) {
      std::vector<Index> nodes;
      for (Index i = 0; i < kSide; ++i) nodes.push_back(k * (step == 1 ? kSide : 1) + i * step);
      add(nodes, true);
    }
  for (int k = 0; k < 3; ++k) {
    std::vector<Index> nodes;
    for (Index v = 0; v < kSide * kSide; ++v)
      if (chance(random, 0.4)) nodes.push_back(v);
    add(nodes, false);
  }
  d->connect();
  return d;
}

class Never final : public Watch {
 public:
  bool stop() override { return false; }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void append(std::vector<double>& to, std::span<const double> more) { to.insert(to.end(), more.begin(), more.end()); }

void groups_share_no_variable_and_hold_every_term_once() {
  const auto d = grid();
  std::vector<int> seen(d->terms().size(), 0);
  std::size_t n_independent = 0;
  for (const TermGroup& group : d->term_groups()) {
    std::vector<int> used(d->n_shared(), 0);
    for (const std::size_t t : group.terms) {
      ++seen[t];
      for (const Run& run : d->terms()[t].shared)
        for (Index k = 0; k < run.length; ++k) CHECK(++used[static_cast<std::size_t>(run.variable + k)] == 1 || !group.independent);
    }
    n_independent += group.independent ? group.terms.size() : 0;
  }
  for (const int count : seen) CHECK(count == 1);
  CHECK(n_independent == 2 * kSide);  // rows and columns; the others are alone
}

void an_order_visits_every_term_once_in_batches_that_share_no_variable() {
  const auto d = grid();
  VisitOrder order(*d);
  Random random(3);
  std::size_t longest = 0;
  std::vector<std::size_t> before;
  for (int k = 0; k < 5; ++k) {
    order.shuffle(random);
    std::vector<std::size_t> visited;
    for (std::size_t b = 0; b < order.n_batches(); ++b) {
      std::vector<int> used(d->n_shared(), 0);
      for (const std::size_t t : order.batch(b)) {
        visited.push_back(t);
        for (const Run& run : d->terms()[t].shared)
          for (Index i = 0; i < run.length; ++i) CHECK(++used[static_cast<std::size_t>(run.variable + i)] == 1);
      }
      longest = std::max(longest, order.batch(b).size());
    }
    CHECK(visited != before);
    before = visited;
    std::ranges::sort(visited);
    for (std::size_t t = 0; t < d->terms().size(); ++t) CHECK(visited.size() == d->terms().size() && visited[t] == t);
  }
  CHECK(longest > 1);
}

std::vector<double> run(int threads, int pairwise_steps) {
  const auto d = grid();
  Never watch;
  FrankWolfe solver(*d, 5, 4, BlockStep{pairwise_steps}, threads);
  solver.set_proximal_weight(0.2);
  std::vector<double> result;
  const auto note = [&](const Evaluation& e) {
    for (const double x : {e.bound, e.value, e.A, e.A_best, e.B, e.spread, e.slope, e.work, e.decrease, solver.objective()})
      result.push_back(x);
  };
  note(solver.initialize(watch));
  for (int k = 0; k < 6; ++k) {
    for (const Pass& pass : {solver.exact_pass(watch), solver.approximate_pass(watch)})
      append(result, std::vector{pass.estimate, pass.decrease, pass.work});
    note(solver.evaluate(watch));
    solver.move_center(k % 2 == 0, 0.3);
  }
  append(result, solver.point().all_y());
  append(result, solver.point().center());
  append(result, solver.marginals());
  append(result, solver.best_lambda());
  result.push_back(static_cast<double>(solver.oracle_calls()));
  CHECK((threads > 1) == (solver.shared_loops() > 0));
  return result;
}

void frank_wolfe_has_the_same_bits_with_any_number_of_threads() {
  for (const int steps : {0, 4}) {
    const std::vector<double> alone = run(1, steps);
    for (const int threads : {2, 3, 5}) CHECK(same_bits(run(threads, steps), alone));
  }
}

void messages_have_the_same_bits_with_any_number_of_threads() {
  const auto messages = [](int threads) {
    const auto d = grid();
    Never watch;
    MessagePassing solver(*d, 1e6, threads);
    std::vector<double> result;
    for (int k = 0; k < 3; ++k) {
      solver.iterate(watch);
      const Evaluation e = solver.evaluate(watch);
      append(result, std::vector{e.bound, e.value, e.A, e.B, e.work});
    }
    append(result, solver.dual().best_lambda());
    return result;
  };
  const std::vector<double> alone = messages(1);
  for (const int threads : {2, 3, 5}) CHECK(same_bits(messages(threads), alone));
}

class After final : public Watch {
 public:
  explicit After(int left) : left_(left) {}
  bool stop() override {
    if (left_-- > 0) return false;
    throw std::runtime_error("interrupted");
  }

 private:
  int left_;
};

void an_interrupt_leaves_the_state_usable() {
  const auto d = grid();
  Never never;
  FrankWolfe solver(*d, 5, 4, BlockStep{4}, 3);
  solver.set_proximal_weight(0.2);
  double bound = solver.initialize(never).bound;
  for (int left = 0; left < 60; left += 7) {
    bool thrown = false;
    try {
      After watch(left);
      solver.exact_pass(watch);
      solver.evaluate(watch);
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    CHECK(thrown);
    const double again = solver.point().objective(0.2);
    CHECK(std::abs(solver.objective() - again) <= 1e-9 * (1 + std::abs(again)));
  }
  for (int k = 0; k < 5; ++k) solver.exact_pass(never);
  const Evaluation e = solver.evaluate(never);
  CHECK(e.complete && e.bound > bound && e.bound <= e.value);
}

/// An oracle that only one thread may call.
class HomeOracle final : public Oracle {
 public:
  explicit HomeOracle(std::vector<double> costs) : free_(std::move(costs)) {}
  Index n_coordinates() const override { return free_.n_coordinates(); }
  double operations() const override { return 1e6; }
  bool any_thread() const override { return false; }
  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override {
    CHECK(std::this_thread::get_id() == home_);
    return free_.minimize(weights, support);
  }

 private:
  FreeOracle free_;
  std::thread::id home_ = std::this_thread::get_id();
};

void an_oracle_that_must_stay_at_home_does() {
  Random random(1);
  Decomposition d(60, {}, 0);
  for (std::int64_t t = 0; t < 20; ++t) {
    const std::vector<std::int64_t> variables{t, t + 20, t + 40};
    for (int copy = 0; copy < 2; ++copy)
      d.add(std::make_unique<HomeOracle>(random_vector(random, 3, real)), variables, "home");
  }
  d.connect();
  Never watch;
  FrankWolfe solver(d, 1, 4, BlockStep{4}, 4);
  solver.initialize(watch);
  solver.exact_pass(watch);
  CHECK(solver.evaluate(watch).complete && solver.shared_loops() == 0);
}

const Test kTests[] = {
    TEST(groups_share_no_variable_and_hold_every_term_once),
    TEST(an_order_visits_every_term_once_in_batches_that_share_no_variable),
    TEST(frank_wolfe_has_the_same_bits_with_any_number_of_threads),
    TEST(messages_have_the_same_bits_with_any_number_of_threads),
    TEST(an_interrupt_leaves_the_state_usable),
    TEST(an_oracle_that_must_stay_at_home_does),
};

}  // namespace
}  // namespace fwmap::test

int main() { return fwmap::test::run_tests(fwmap::test::kTests); }
