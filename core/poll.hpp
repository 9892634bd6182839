#pragma once
// How long steps that are worth nothing half done are cut: they ask, on their way, whether time is over.

#include <exception>

#include "evaluation.hpp"

namespace fwmap {

/// Thrown by `poll` where time is over: what was being done is thrown away, and so is whatever was doing it.
struct OutOfTime : std::exception {
  const char* what() const noexcept override { return "time is over"; }
};

namespace polling {
inline thread_local Watch* watch = nullptr;  ///< of this thread; nullptr: nobody cuts anything
inline thread_local unsigned calls = 0;
inline constexpr unsigned kEvery = 16;       ///< calls per look at the watch
}  // namespace polling

/// Asks this thread's watch now and then. To be called every few microseconds; never where something is half changed
/// that others go on with.
inline void poll() {
  if (polling::watch != nullptr && ++polling::calls % polling::kEvery == 0 && polling::watch->stop()) throw OutOfTime();
}

/// The watch that `poll` asks in this thread from now on; nullptr: none. Returns the one before.
inline Watch* polled(Watch* watch) {
  Watch* before = polling::watch;
  polling::watch = watch;
  return before;
}

}  // namespace fwmap
