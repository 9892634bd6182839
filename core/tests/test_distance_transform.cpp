// Tests of the messages over structured edges, against the minimum over all pairs of labels.

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "kernels/distance_transform.hpp"
#include "kernels/kernels.hpp"
#include "small_forest.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

const TablePool kNoTables({}, {}, nullptr);
constexpr double kTruncations[] = {0, 0.5, 1, 2.5, 3, 7, 100, kInfinity};
constexpr EdgeKind kKinds[] = {EdgeKind::kPotts, EdgeKind::kTruncatedLinear, EdgeKind::kTruncatedQuadratic};

std::vector<double> message(const EdgeCost& edge, const std::vector<double>& x, std::size_t n_out, Envelope& envelope) {
  std::vector<double> out(std::max(x.size(), n_out), std::nan(""));  // the transform needs room for both sides
  structured_message(edge, x.data(), x.size(), n_out, out.data(), envelope);
  out.resize(n_out);
  return out;
}

std::vector<double> naive(const EdgeCost& edge, const std::vector<double>& x, std::size_t n_out) {
  std::vector<double> out(n_out, kInfinity);
  for (std::size_t b = 0; b < n_out; ++b)
    for (std::size_t a = 0; a < x.size(); ++a)
      out[b] = std::min(out[b], x[a] + edge_cost(edge, kNoTables, static_cast<Index>(a), static_cast<Index>(b),
                                                 static_cast<Index>(n_out)));
  return out;
}

/// Calls visit(edge, x, n_out) over all kinds, truncations and sizes.
template <class Visit>
void for_each_case(Random& random, CostMaker weight, CostMaker cost, Visit visit) {
  for (const EdgeKind kind : kKinds)
    for (const double truncation : kTruncations)
      for (std::size_t n_in = 1; n_in <= 12; ++n_in)
        for (std::size_t n_out = 1; n_out <= 12; ++n_out)
          for (const double forbidden : {0.0, 0.4, 1.0})
            visit(EdgeCost{kind, -1, weight(random), truncation}, random_vector(random, n_in, cost, forbidden), n_out);
}

void messages_of_integer_costs_equal_the_minimum_over_all_pairs() {
  Random random(1);
  Envelope envelope;
  for_each_case(random, integer_cost, integer_cost, [&](const EdgeCost& edge, const std::vector<double>& x, std::size_t n_out) {
    CHECK(message(edge, x, n_out, envelope) == naive(edge, x, n_out));
  });
}

void potts_messages_and_those_of_negative_weights_equal_it_to_the_bit() {
  Random random(2);
  Envelope envelope;
  for_each_case(random, wild_cost, wild_cost, [&](const EdgeCost& edge, const std::vector<double>& x, std::size_t n_out) {
    if (edge.kind == EdgeKind::kPotts || edge.weight < 0)
      CHECK(message(edge, x, n_out, envelope) == naive(edge, x, n_out));
  });
}

void other_messages_equal_it_up_to_their_stated_rounding() {
  Random random(3);
  Envelope envelope;
  for_each_case(random, wild_cost, wild_cost, [&](EdgeCost edge, const std::vector<double>& x, std::size_t n_out) {
    edge.weight = std::abs(edge.weight);
    const std::vector<double> out = message(edge, x, n_out, envelope);
    const double stated = structured_message_rounding(edge, x.size(), n_out);
    // Sums along the line pass through as many roundings as there are labels; the forest counts these as well.
    const double k = edge.kind == EdgeKind::kTruncatedLinear ? 2.0 + static_cast<double>(std::max(x.size(), n_out)) : 2.0;
    for (std::size_t b = 0; b < n_out; ++b) {
      Exact lowest = kInfinity, magnitude = 0;
      for (std::size_t a = 0; a < x.size(); ++a) {
        const Exact cost = exact_edge_cost(edge, kNoTables, static_cast<Index>(a), static_cast<Index>(b), 0);
        if (!(x[a] + cost < lowest)) continue;
        lowest = x[a] + cost;
        magnitude = absolute(x[a]) + cost;
      }
      if (lowest == kInfinity)
        CHECK(out[b] == kInfinity);
      else
        CHECK(absolute(out[b] - lowest) <= stated + rounding_factor(k) * magnitude);
    }
  });
}

void parabolas_far_apart_do_not_lose_the_near_ones() {
  // A forbidden-like 1e18 beside small costs: the crossing of their parabolas has no correct digit.
  Envelope envelope;
  for (const double large : {1e9, 1e18, 1e300}) {
    const std::vector<double> x{0.5, large, 0.25, large, large, 0.125};
    const EdgeCost edge{EdgeKind::kTruncatedQuadratic, -1, 0.03125, kInfinity};
    CHECK(message(edge, x, 9, envelope) == naive(edge, x, 9));
  }
}

void messages_are_the_same_with_every_kernel() {
  Random random(4);
  Envelope envelope;
  const char* widest = kernels().name;
  for_each_case(random, wild_cost, wild_cost, [&](const EdgeCost& edge, const std::vector<double>& x, std::size_t n_out) {
    CHECK(use_kernels("baseline"));
    const std::vector<double> baseline = message(edge, x, n_out, envelope);
    CHECK(use_kernels(widest));
    CHECK(message(edge, x, n_out, envelope) == baseline);
  });
}

const Test kTests[] = {
    TEST(messages_of_integer_costs_equal_the_minimum_over_all_pairs),
    TEST(potts_messages_and_those_of_negative_weights_equal_it_to_the_bit),
    TEST(other_messages_equal_it_up_to_their_stated_rounding),
    TEST(parabolas_far_apart_do_not_lose_the_near_ones),
    TEST(messages_are_the_same_with_every_kernel),
};

}  // namespace

int main() { return run_tests(kTests); }
