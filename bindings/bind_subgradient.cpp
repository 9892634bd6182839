#include "dual_method.hpp"
#include "subgradient.hpp"

namespace fwmap {

void bind_subgradient(nb::module_& module) {
  using Solver = Guarded<Subgradient>;
  nb::class_<Solver> type(module, "Subgradient", nb::type_slots(solver_slots<Subgradient>),
                          "Deflected supergradient ascent; see core/subgradient.hpp.");
  bind_dual_method<Subgradient>(type);
  bind_minimizers_as_planes<Subgradient>(type);
  type.def("__init__",
           [](Solver* self, nb::handle_t<Decomposition> decomposition, int threads) {
             new (self) Solver{nb::borrow(decomposition), Subgradient(nb::cast<Decomposition&>(decomposition), threads)};
           },
           nb::arg("decomposition"), nb::arg("threads") = 1)
      .def("move_to",
           [](Solver& self, const Array<double>& target) {
             self.run([&](Subgradient& s) { s.move_to(view(target)); return 0; });
           },
           nb::arg("target"))
      .def("evaluate",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](Subgradient& s) { return s.evaluate(watch); });
           },
           nb::arg("seconds"))
      .def("best", [](Solver& self) { return self.run([&](Subgradient& s) { return s.best(); }); },
           "The best point so far, with A and B of the current y.")
      .def("advance",
           [](Solver& self, double share, double length) {
             self.run([&](Subgradient& s) { s.advance(share, length); return 0; });
           },
           nb::arg("share"), nb::arg("length"))
      .def_prop_ro("products",
                   [](Solver& self) {
                     const DirectionProducts& p = self.solver.products();
                     return nb::make_tuple(p.gradient_norm, p.crossed, p.norm, p.slack);
                   },
                   "|g|^2, <g, d>, |d|^2 and the slack A; see DirectionProducts.");
}

}  // namespace fwmap
