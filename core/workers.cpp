#include "workers.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace fwmap {
namespace {

constexpr int kSpins = 200;            // before a thread sleeps: some microseconds, as long as waking it takes
constexpr std::size_t kShares = 8;     // of each thread in a loop: so that none waits long for another at the end

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Waits until the value is no longer `old`.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

bool Workers::share(std::size_t n, Watch& watch, const Body& body) {
  if (threads_.empty()) start();
  ++shared_loops_;
  body_ = &body;
  n_ = n;
  grain_ = std::max<std::size_t>(1, n / (kShares * most_));
  next_.store(0, std::memory_order_relaxed);
  stopped_.store(false, std::memory_order_relaxed);
  at_work_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  loops_.fetch_add(1, std::memory_order_release);
  loops_.notify_all();
  serve(0, &watch);
  for (std::uint32_t left; (left = at_work_.load(std::memory_order_acquire)) != 0;) await_change(at_work_, left);
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return !stopped_.load(std::memory_order_relaxed);
}

void Workers::start() {
  const std::uint32_t seen = loops_.load(std::memory_order_relaxed);
  try {
    while (threads_.size() + 1 < most_)
      threads_.emplace_back([this, seen, worker = threads_.size() + 1] {
        for (std::uint32_t loop = seen;; ++loop) {
          await_change(loops_, loop);
          if (ended_) return;
          serve(worker, nullptr);
          if (at_work_.fetch_sub(1, std::memory_order_acq_rel) == 1) at_work_.notify_one();
        }
      });
  } catch (const std::system_error&) {  // no more threads to be had: those there are do it all
  }
}

void Workers::serve(std::size_t worker, Watch* watch) {
  try {
    for (;;) {
      const std::size_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
      if (begin >= n_) return;
      const std::size_t end = std::min(n_, begin + grain_);
      for (std::size_t item = begin; item < end; ++item) {
        if (stopped_.load(std::memory_order_relaxed)) return;
        if (watch != nullptr && watch->stop()) {
          stopped_.store(true, std::memory_order_relaxed);
          return;
        }
        (*body_)(item, worker);
      }
    }
  } catch (...) {
    stopped_.store(true, std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(thrown_mutex_);
    if (!thrown_) thrown_ = std::current_exception();
  }
}

Workers& Workers::alone() {
  static Workers result(1);  // with which nothing is ever written to it
  return result;
}

void Workers::dismiss() {
  if (threads_.empty()) return;
  ended_ = true;
  loops_.fetch_add(1, std::memory_order_release);
  loops_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  ended_ = false;
}

}  // namespace fwmap
