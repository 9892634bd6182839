#include "workers.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace fwmap {
namespace {

constexpr int kSpins = 200;         // before a thread sleeps: some microseconds, as long as waking it takes
constexpr std::size_t kShares = 8;  // of each thread in a loop: so that none waits long for another at the end

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

struct Workers::Crew {
  // The state: the number of the loop, whether threads may join it, and how many are in it beside the caller.
  static constexpr std::uint32_t kLoop = 1u << 16, kOpen = kLoop >> 1, kInside = kOpen - 1, kNumber = ~(kLoop - 1);
  std::atomic<std::uint32_t> state{0};

  // The loop at hand; only for those inside.
  bool ended = false;  // no loop, but the end
  const Body* body = nullptr;
  std::size_t n = 0, grain = 1;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex thrown_mutex;
  std::exception_ptr thrown;

  void open() {
    state.store((state.load(std::memory_order_relaxed) & kNumber) + kLoop + kOpen, std::memory_order_release);
    state.notify_all();
  }

  // Lets nobody in any more, and waits for those inside.
  void close() {
    state.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (std::uint32_t now; ((now = state.load(std::memory_order_acquire)) & kInside) != 0;) await_change(state, now);
  }

  // What a thread does until the end.
  void attend(std::size_t worker) {
    for (std::uint32_t done = 0;;) {
      std::uint32_t now = state.load(std::memory_order_acquire);
      if ((now & kOpen) == 0 || (now & kNumber) == done) {
        await_change(state, now);
        continue;
      }
      if (!state.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) continue;
      done = now & kNumber;
      const bool is_end = ended;
      if (!is_end) serve(worker, nullptr);
      const std::uint32_t left = state.fetch_sub(1, std::memory_order_acq_rel) - 1;
      if ((left & (kOpen | kInside)) == 0) state.notify_all();
      if (is_end) return;
    }
  }

  void serve(std::size_t worker, Watch* watch) {
    try {
      for (;;) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= n) return;
        for (std::size_t item = begin; item < std::min(n, begin + grain); ++item) {
          if (stopped.load(std::memory_order_relaxed)) return;
          if (watch != nullptr && watch->stop()) {
            stopped.store(true, std::memory_order_relaxed);
            return;
          }
          (*body)(item, worker);
        }
      }
    } catch (...) {
      stopped.store(true, std::memory_order_relaxed);
      const std::lock_guard<std::mutex> lock(thrown_mutex);
      if (!thrown) thrown = std::current_exception();
    }
  }
};

bool Workers::share(std::size_t n, Watch& watch, const Body& body) {
  if (!crew_) {
    crew_ = std::make_shared<Crew>();
    try {
      for (std::size_t worker = 1; worker < most_; ++worker)
        std::thread([crew = crew_, worker] { crew->attend(worker); }).detach();
    } catch (const std::system_error&) {  // no more threads to be had: those there are do it all
    }
  }
  ++shared_loops_;
  Crew& crew = *crew_;
  crew.body = &body;
  crew.n = n;
  crew.grain = std::max<std::size_t>(1, n / (kShares * most_));
  crew.next.store(0, std::memory_order_relaxed);
  crew.stopped.store(false, std::memory_order_relaxed);
  crew.open();
  crew.serve(0, &watch);
  crew.close();
  if (crew.thrown) std::rethrow_exception(std::exchange(crew.thrown, nullptr));
  return !crew.stopped.load(std::memory_order_relaxed);
}

Workers& Workers::alone() {
  static Workers result(1);  // with which nothing is ever written to it
  return result;
}

void Workers::dismiss() {
  if (!crew_) return;
  crew_->ended = true;
  crew_->open();
  crew_.reset();
}

}  // namespace fwmap
