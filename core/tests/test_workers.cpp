#include "workers.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

#include "check.hpp"

namespace fwmap::test {
namespace {

constexpr double kMuch = 1e9, kLittle = 1;  // operations

void each_item_is_done_once_by_a_worker_that_does_nothing_else() {
  for (const int most : {1, 2, 3, 8})
    for (const std::size_t n : {0, 1, 2, 7, 1000}) {
      Workers workers(most);
      for (int loop = 0; loop < 20; ++loop) {
        std::vector<std::atomic<int>> done(n), busy(workers.most());
        workers.each(n, kMuch, [&](std::size_t item, std::size_t worker) {
          if (busy[worker].fetch_add(1) != 0) done[item] += 100;
          ++done[item];
          --busy[worker];
        });
        for (const std::atomic<int>& count : done) CHECK(count == 1);
      }
    }
}

void little_work_stays_on_the_calling_thread() {
  Workers workers(4);
  const auto caller = std::this_thread::get_id();
  workers.each(100, kLittle, [&](std::size_t, std::size_t worker) {
    CHECK(worker == 0 && std::this_thread::get_id() == caller);
  });
}

void sums_over_blocks_have_the_same_bits_whoever_forms_them() {
  const auto sum = [](int most) {
    Workers workers(most);
    return workers.sum_blocks(100'001, kMuch, [](std::size_t begin, std::size_t end) {
      double result = 0;
      for (std::size_t i = begin; i < end; ++i) result += 1.0 / static_cast<double>(3 * i + 1);
      return result;
    });
  };
  const double alone = sum(1);
  CHECK(alone > 4.0);
  for (const int most : {2, 3, 5}) CHECK(sum(most) == alone);
}

class CallerOnly final : public Watch {
 public:
  explicit CallerOnly(int left, bool throws = false) : left_(left), throws_(throws) {}
  bool stop() override {
    CHECK(std::this_thread::get_id() == caller_);
    if (left_-- > 0) return false;
    if (throws_) throw std::runtime_error("enough");
    return true;
  }

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  int left_;
  bool throws_;
};

void a_watch_is_asked_on_the_calling_thread_and_stops_all() {
  for (const int most : {1, 2, 5}) {
    Workers workers(most);
    CallerOnly never(1'000'000), soon(3);
    CHECK(workers.each(1000, kMuch, never, [](std::size_t, std::size_t) {}));
    std::atomic<int> own{0};
    const bool complete = workers.each(1'000'000, kMuch, soon, [&](std::size_t, std::size_t worker) { own += worker == 0; });
    CHECK(!complete && own == 3);
    CHECK(workers.each(1000, kMuch, never, [](std::size_t, std::size_t) {}));  // and goes on
  }
}

void what_an_item_or_the_watch_throws_arrives_when_all_rest() {
  for (const int most : {1, 2, 5})
    for (const bool by_watch : {false, true}) {
      Workers workers(most);
      std::atomic<int> running{0};
      bool thrown = false;
      try {
        CallerOnly watch(by_watch ? 5 : 1'000'000, true);
        workers.each(100'000, kMuch, watch, [&](std::size_t item, std::size_t) {
          ++running;
          const bool bad = !by_watch && item == 700;
          --running;
          if (bad) throw std::runtime_error("bad item");
        });
      } catch (const std::runtime_error&) {
        thrown = true;
      }
      CHECK(thrown && running == 0);
      std::atomic<int> done{0};
      workers.each(100, kMuch, [&](std::size_t, std::size_t) { ++done; });  // the pool goes on
      CHECK(done == 100);
    }
}

void dismissed_workers_come_again() {
  Workers workers(3);
  for (int k = 0; k < 50; ++k) {
    const Shift shift(workers);
    std::atomic<int> done{0};
    for (int loop = 0; loop < 3; ++loop) workers.each(10, kMuch, [&](std::size_t, std::size_t) { ++done; });
    CHECK(done == 30);
  }
}

const Test kTests[] = {
    TEST(each_item_is_done_once_by_a_worker_that_does_nothing_else),
    TEST(little_work_stays_on_the_calling_thread),
    TEST(sums_over_blocks_have_the_same_bits_whoever_forms_them),
    TEST(a_watch_is_asked_on_the_calling_thread_and_stops_all),
    TEST(what_an_item_or_the_watch_throws_arrives_when_all_rest),
    TEST(dismissed_workers_come_again),
};

}  // namespace
}  // namespace fwmap::test

int main() { return fwmap::test::run_tests(fwmap::test::kTests); }
