#include "rounding/labeling_search.hpp"

#include <algorithm>
#include <cmath>

namespace fwmap {
namespace {

std::size_t index(Index i) { return static_cast<std::size_t>(i); }

constexpr int kPatience = 3;             // sweeps in a row that gain nothing
constexpr int kPatienceAfterKick = 2;
constexpr double kNoise = 1e-12;         // gains below this, relative to the costs in play, are rounding
constexpr std::size_t kMostKicked = 64;  // nodes
constexpr std::size_t kAround = 4;       // nodes re-solved per node kicked, and
constexpr std::size_t kMargin = 12;      // so many more
constexpr std::size_t kLeastPart = 16, kMostPart = 4096;     // nodes re-solved by elimination
constexpr std::size_t kLeastEntries = 64, kMostEntries = 65536;  // and entries of its tables

}  // namespace

LabelingSearch::LabelingSearch(std::shared_ptr<const FieldGraph> graph, std::uint64_t seed)
    : graph_(graph), moves_(graph), eliminations_(std::move(graph)), random_(seed), seen_(graph_->n_nodes(), 0) {
  for (std::size_t v = 0; v < graph_->n_nodes(); ++v)
    if (graph_->n_labels(static_cast<Index>(v)) > 1) all_.push_back(static_cast<Index>(v));
}

MoveOutcome LabelingSearch::descend(std::span<Index> labeling, double max_operations) {
  MoveOutcome total;
  double first = 0;
  for (int idle = 0; idle < kPatience && total.operations < max_operations && !all_.empty();) {
    const MoveOutcome one = moves_.sweep(all_, labeling, random_);
    total.change += one.change;
    total.operations += one.operations;
    first = std::max(first, std::abs(one.change));
    idle = one.change < -1e-9 * first ? 0 : idle + 1;
  }
  return total;
}

MoveOutcome LabelingSearch::fuse(std::span<Index> labeling, std::span<const Index> other, double max_operations) {
  MoveOutcome total;
  for (int idle = 0; idle < kPatienceAfterKick && total.operations < max_operations;) {
    const MoveOutcome one = moves_.fuse(all_, labeling, other, random_);
    total.change += one.change;
    total.operations += one.operations + static_cast<double>(all_.size());
    if (one.operations == 0) break;  // nothing differs
    idle = one.change < 0 ? 0 : idle + 1;
  }
  return total;
}

MoveOutcome LabelingSearch::expand(std::span<Index> labeling, double max_operations) {
  MoveOutcome total;
  std::size_t most = 0;
  for (const Index v : all_) most = std::max(most, graph_->n_labels(v));
  std::vector<Index> other(labeling.size());
  for (std::size_t a = 0; a < most && total.operations < max_operations; ++a) {
    for (std::size_t v = 0; v < other.size(); ++v)
      other[v] = a < graph_->n_labels(static_cast<Index>(v)) ? static_cast<Index>(a) : labeling[v];
    const MoveOutcome one = moves_.fuse(all_, labeling, other, random_);
    total.change += one.change;
    total.operations += one.operations + static_cast<double>(all_.size());
  }
  return total;
}

// The nodes nearest to a random one, breadth first with neighbours in random order.
void LabelingSearch::collect_ball(std::size_t size) {
  ball_.clear();
  ++n_balls_;
  const auto meet = [this](Index v) {
    if (seen_[index(v)] == n_balls_) return;
    seen_[index(v)] = n_balls_;
    ball_.push_back(v);
  };
  meet(all_[random_.below(all_.size())]);
  for (std::size_t k = 0; k < ball_.size() && ball_.size() < size; ++k) {
    const std::size_t begin = ball_.size();
    for (const std::int32_t e : graph_->edges_of(ball_[k])) {
      const FieldEdge& edge = graph_->edge(e);
      meet(edge.first == ball_[k] ? edge.second : edge.first);
    }
    for (const std::int32_t f : graph_->factors_of(ball_[k]))
      for (const Index v : graph_->factor(f).scope) meet(v);
    for (std::size_t i = ball_.size(); i > begin + 1; --i) std::swap(ball_[i - 1], ball_[begin + random_.below(i - begin)]);
  }
  if (ball_.size() > size) ball_.resize(size);
}

// Changes the labels of the first nodes of the ball one by one; returns what that costs.
double LabelingSearch::kick_nodes(std::size_t n_kicked, std::span<Index> labeling, std::span<const Index> guide,
                                  double* operations) {
  double change = 0;
  for (std::size_t k = 0; k < n_kicked; ++k) {
    const Index v = ball_[k];
    const std::size_t n = graph_->n_labels(v);
    if (n == 1) continue;
    const auto old = index(labeling[index(v)]);
    std::size_t chosen = guide.empty() ? old : index(guide[index(v)]);
    if (chosen == old) {
      if (!guide.empty()) continue;
      chosen = random_.below(n - 1);
      if (chosen >= old) ++chosen;
    }
    graph_->for_each_local_cost(
        v, labeling,
        [&](std::size_t a, double cost) {
          if (a == chosen) change += cost;
          if (a == old) change -= cost;
        },
        [](const FieldEdge&) { return false; });
    *operations += static_cast<double>((graph_->edges_of(v).size() + graph_->factors_of(v).size() + 1) * (n + 4));
    labeling[index(v)] = static_cast<Index>(chosen);
  }
  return change;
}

MoveOutcome LabelingSearch::kick(std::span<Index> labeling, std::span<const Index> guides, double max_operations) {
  MoveOutcome total;
  const std::size_t n = labeling.size(), n_guides = n == 0 ? 0 : guides.size() / n;
  if (all_.empty()) return total;
  while (total.operations < max_operations) {
    // Sizes on a logarithmic scale: small kicks are cheap and help most often, large ones leave deep valleys.
    const std::size_t most = std::min(kMostKicked, std::max<std::size_t>(1, all_.size() / 2));
    std::size_t n_kicked = 1;
    while (n_kicked < most && random_.below(3) != 0) n_kicked *= 2;
    n_kicked = std::min(n_kicked, most);
    collect_ball(kAround * n_kicked + kMargin);
    n_kicked = std::min(n_kicked, ball_.size());
    before_.clear();
    for (const Index v : ball_) before_.push_back(labeling[index(v)]);

    const std::size_t g = random_.below(n_guides + 1);
    const std::span<const Index> guide = g < n_guides ? guides.subspan(g * n, n) : std::span<const Index>();
    double change = kick_nodes(n_kicked, labeling, guide, &total.operations), size = std::abs(change);
    total.operations += 10.0 * static_cast<double>(ball_.size());
    for (int idle = 0; idle < kPatienceAfterKick;) {
      const MoveOutcome one = moves_.sweep(ball_, labeling, random_);
      change += one.change;
      size += std::abs(one.change);
      total.operations += one.operations;
      idle = one.change < -kNoise * size ? 0 : idle + 1;
    }
    if (change <= kNoise * size) {
      total.change += change;
    } else {
      for (std::size_t k = 0; k < ball_.size(); ++k) labeling[index(ball_[k])] = before_[k];
    }
  }
  return total;
}

MoveOutcome LabelingSearch::resolve(std::span<Index> labeling, double max_operations) {
  MoveOutcome total;
  if (all_.empty()) return total;
  while (total.operations < max_operations) {
    // Sizes on logarithmic scales, as of kicks.
    std::size_t size = kLeastPart, entries = kLeastEntries;
    while (size < std::min(kMostPart, all_.size()) && random_.below(4) != 0) size *= 2;
    while (entries < kMostEntries && random_.below(4) != 0) entries *= 2;
    collect_ball(std::min(size, all_.size()));
    total.operations += 10.0 * static_cast<double>(ball_.size());
    const MoveOutcome one = eliminations_.solve(ball_, labeling, entries, random_);
    total.change += one.change;
    total.operations += one.operations;
  }
  return total;
}

}  // namespace fwmap
