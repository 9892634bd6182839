#pragma once
// Checks that count instead of ending the programme, and the main loop of every test executable.

#include <cstdio>
#include <span>

namespace fwmap::test {

inline int n_failed_checks = 0;

/// Counts a failure, and prints the first ones: a wrong kernel fails thousands of checks.
inline void report_failure(const char* file, int line, const char* condition) {
  if (++n_failed_checks <= 50) std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, condition);
}

struct Test {
  const char* name;
  void (*run)();
};

/// Runs the tests, prints the names of those that fail and `N passed, M failed`; returns the exit code.
inline int run_tests(std::span<const Test> tests) {
  int n_passed = 0, n_failed = 0;
  for (const Test& test : tests) {
    const int before = n_failed_checks;
    test.run();
    const bool passed = n_failed_checks == before;
    ++(passed ? n_passed : n_failed);
    if (!passed) std::fprintf(stderr, "FAILED: %s\n", test.name);
  }
  std::printf("%d passed, %d failed\n", n_passed, n_failed);
  return n_failed == 0 ? 0 : 1;
}

}  // namespace fwmap::test

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) fwmap::test::report_failure(__FILE__, __LINE__, #condition);           \
  } while (false)

#define CHECK_THROWS(exception, statement)                                                   \
  do {                                                                                       \
    bool thrown_ = false;                                                                    \
    try {                                                                                    \
      statement;                                                                             \
    } catch (const exception&) {                                                             \
      thrown_ = true;                                                                        \
    }                                                                                        \
    if (!thrown_) fwmap::test::report_failure(__FILE__, __LINE__, #statement " must throw"); \
  } while (false)

#define TEST(function) fwmap::test::Test{#function, function}
