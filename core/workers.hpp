#pragma once
// Threads that share the items of a loop.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "evaluation.hpp"

namespace fwmap {

/// Loops over items that do not depend on each other: which thread does which item, and when, is left open, so what
/// an item computes must not depend on it. Sums over items are formed by the caller afterwards, in a fixed order.
///
/// Threads are started by the first loop that is worth it and end with `dismiss`: none is left idle between two
/// calls of a solver, where the process may fork or end. A loop waits for threads that have begun an item, never for one
/// that has not come yet: on a busy machine the calling thread does most by itself. One loop at a time.
class Workers {
 public:
  /// `most` threads, the calling one included; at least 1.
  explicit Workers(int most) : most_(most < 1 ? 1 : static_cast<std::size_t>(most)) {}
  ~Workers() { dismiss(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// How many threads there can be: numbers of workers are below.
  std::size_t most() const { return most_; }

  /// Calls body(item, worker) for the items 0 .. n - 1, each once; no two at the same time with the same worker.
  /// Only loops of `operations` beyond a constant are shared with other threads.
  /// The watch is asked on the calling thread, before each of its items; where it says stop, no further item is
  /// begun, and the answer is false. What an item or the watch throws is thrown here, once all threads rest.
  template <class Body>
  bool each(std::size_t n, double operations, Watch& watch, Body body) {
    if (most_ > 1 && n > 1 && operations >= kWorthIt) return share(n, watch, body);
    for (std::size_t item = 0; item < n; ++item) {
      if (watch.stop()) return false;
      body(item, std::size_t{0});
    }
    return true;
  }

  /// The same without a watch.
  template <class Body>
  void each(std::size_t n, double operations, Body body) {
    struct Never final : Watch {
      bool stop() override { return false; }
    } never;
    each(n, operations, never, body);
  }

  /// Calls body(begin, end) for the blocks of 0 .. n - 1; a block is always the same.
  template <class Body>
  void each_block(std::size_t n, double operations_each, Body body) {
    each((n + kBlock - 1) / kBlock, operations_each * static_cast<double>(n), [&](std::size_t block, std::size_t) {
      body(block * kBlock, std::min(n, (block + 1) * kBlock));
    });
  }

  /// The sum over them of what body(begin, end) returns, in their order.
  template <class Body>
  double sum_blocks(std::size_t n, double operations_each, Body body) {
    std::vector<double> sums((n + kBlock - 1) / kBlock);
    each_block(n, operations_each, [&](std::size_t begin, std::size_t end) { sums[begin / kBlock] = body(begin, end); });
    double sum = 0;
    for (const double of_block : sums) sum += of_block;
    return sum;
  }

  /// Loops so far that were shared with other threads.
  std::int64_t shared_loops() const { return shared_loops_; }

  /// The calling thread alone, for anybody.
  static Workers& alone();

  /// Ends all threads but the calling one, without waiting for them.
  void dismiss();

  /// Operations, in the unit of Oracle::operations, that take some times as long as waking a thread.
  static constexpr double kWorthIt = 5e5;
  static constexpr std::size_t kBlock = 4096;

 private:
  using Body = std::function<void(std::size_t, std::size_t)>;
  struct Crew;  ///< the threads, which hold it as long as they live

  bool share(std::size_t n, Watch& watch, const Body& body);

  std::size_t most_;
  std::shared_ptr<Crew> crew_;
  std::int64_t shared_loops_ = 0;
};

/// Dismisses at the end of a call.
class Shift {
 public:
  explicit Shift(Workers& workers) : workers_(workers) {}
  ~Shift() { workers_.dismiss(); }
  Shift(const Shift&) = delete;
  Shift& operator=(const Shift&) = delete;

 private:
  Workers& workers_;
};

}  // namespace fwmap
