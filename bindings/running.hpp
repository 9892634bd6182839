#pragma once
// What keeps a running solver in order: a deadline, Ctrl-C, and one thread at a time.

#include <atomic>
#include <chrono>

#include "bindings.hpp"
#include "evaluation.hpp"

namespace fwmap {

/// Stops at a deadline, and lets Python's signal handlers run now and then: Ctrl-C becomes KeyboardInterrupt.
class DeadlineWatch final : public Watch {
 public:
  explicit DeadlineWatch(double seconds)
      : deadline_(seconds), start_(Clock::now()), last_signals_(start_) {}

  bool stop() override {
    const auto now = Clock::now();
    if (now - last_signals_ > std::chrono::milliseconds(20)) {
      last_signals_ = now;
      nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return std::chrono::duration<double>(now - start_).count() >= deadline_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double deadline_;
  Clock::time_point start_, last_signals_;
};

/// The solver, refusing a second thread: its arrays belong to one call at a time. Keeps its decomposition alive.
template <class Solver>
struct Guarded {
  nb::object decomposition;
  Solver solver;
  std::atomic<bool> busy{false};

  template <class Call>
  auto run(Call call) {
    if (busy.exchange(true)) throw std::runtime_error("this solver is already running in another thread");
    struct Release {
      std::atomic<bool>& flag;
      ~Release() { flag = false; }
    } release{busy};
    nb::gil_scoped_release gil;
    return call(solver);
  }
};

/// Shows Python's collector the decomposition, which may hold oracles that hold the solver.
template <class Solver>
int traverse_solver(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Guarded<Solver>>(self)->decomposition.ptr());
  return 0;
}

/// What the class of a guarded solver needs for that.
template <class Solver>
inline PyType_Slot solver_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_solver<Solver>)}, {0, nullptr}};

}  // namespace fwmap
