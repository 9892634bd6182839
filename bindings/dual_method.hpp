#pragma once
// What the classes of methods on the dual as one function have in common, for results and for rounding.

#include "bindings.hpp"
#include "dual_function.hpp"
#include "running.hpp"

namespace fwmap {

/// Counters, the best lambda and the minimisers of the last evaluation. `Method` has iteration(), dual() and
/// marginals().
template <class Method>
void bind_dual_method(nb::class_<Guarded<Method>>& type) {
  using Solver = Guarded<Method>;
  type.def_prop_ro("iteration", [](Solver& self) { return self.solver.iteration(); })
      .def_prop_ro("oracle_calls", [](Solver& self) { return self.solver.dual().oracle_calls(); })
      .def_prop_ro("work", [](Solver& self) { return self.solver.dual().work(); })
      .def_prop_ro("best_lambda", [](Solver& self) { return copy_out<double>(self.solver.dual().best_lambda()); },
                   nb::rv_policy::move)
      .def_prop_ro("best_bound", [](Solver& self) { return self.solver.dual().best_bound(); })
      .def_prop_ro("best_value", [](Solver& self) { return self.solver.dual().best_value(); })
      .def("count_from",
           [](Solver& self, std::int64_t iteration, std::int64_t oracle_calls, double work) {
             self.run([&](Method& m) { m.count_from(iteration, oracle_calls, work); return 0; });
           },
           nb::arg("iteration"), nb::arg("oracle_calls"), nb::arg("work"))
      .def("minimizer",
           [](Solver& self, std::size_t t) { return copy_out<std::int32_t>(self.solver.dual().coordinates(t)); },
           nb::arg("term"))
      .def("minimizer_cost", [](Solver& self, std::size_t t) { return self.solver.dual().minimizer(t).cost; },
           nb::arg("term"))
      .def("marginals", [](Solver& self) { return copy_out<double>(self.solver.marginals()); });
}

/// For methods that keep no planes.
template <class Method>
void bind_minimizers_as_planes(nb::class_<Guarded<Method>>& type) {
  using Solver = Guarded<Method>;
  type.def("planes",
           [](Solver& self, std::size_t t) {
             const Minimizer& x = self.solver.dual().minimizer(t);
             nb::list result;
             result.append(nb::make_tuple(copy_out<std::int32_t>(x.support), x.cost, 1.0));
             return result;
           },
           nb::arg("term"), "The minimiser as the only plane: (support in slots, cost, weight).");
}

}  // namespace fwmap
