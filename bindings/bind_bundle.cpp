#include "bundle.hpp"
#include "dual_method.hpp"

namespace fwmap {

void bind_bundle(nb::module_& module) {
  using Solver = Guarded<Bundle>;
  nb::class_<Solver> type(module, "Bundle", nb::type_slots(solver_slots<Bundle>),
                          "A proximal bundle method on the dual as one function; see core/bundle.hpp.");
  bind_dual_method<Bundle>(type);
  type.def("__init__",
           [](Solver* self, nb::handle_t<Decomposition> decomposition, std::size_t room, int threads) {
             new (self) Solver{nb::borrow(decomposition), Bundle(nb::cast<Decomposition&>(decomposition), room, threads)};
           },
           nb::arg("decomposition"), nb::arg("room"), nb::arg("threads") = 1)
      .def("move_to",
           [](Solver& self, const Array<double>& target) {
             self.run([&](Bundle& s) { s.move_to(view(target)); return 0; });
           },
           nb::arg("target"))
      .def("keep_more",
           [](Solver& self, std::size_t most_planes) { self.run([&](Bundle& s) { s.keep_more(most_planes); return 0; }); },
           nb::arg("most_planes"))
      .def("evaluate",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](Bundle& s) { return s.evaluate(watch); });
           },
           nb::arg("seconds"))
      .def("propose", [](Solver& self, double weight) { self.run([&](Bundle& s) { s.propose(weight); return 0; }); },
           nb::arg("weight"))
      .def("accept", [](Solver& self) { self.run([&](Bundle& s) { s.accept(); return 0; }); })
      .def("best", [](Solver& self) { return self.run([&](Bundle& s) { return s.best(); }); },
           "The best point so far, with A and B of the current y.")
      .def_prop_ro("promised", [](Solver& self) { return self.solver.promised(); })
      .def_prop_ro("risen", [](Solver& self) { return self.solver.risen(); })
      .def_prop_ro("newest_error", [](Solver& self) { return self.solver.newest_error(); })
      .def_prop_ro("spread", [](Solver& self) { return self.solver.spread(); })
      .def_prop_ro("most_planes", [](Solver& self) { return self.solver.most_planes(); })
      .def_prop_ro("n_planes", [](Solver& self) { return self.solver.n_planes(); })
      .def_prop_ro("trial", [](Solver& self) { return copy_out<double>(self.solver.trial()); }, nb::rv_policy::move)
      .def_prop_ro("center", [](Solver& self) { return copy_out<double>(self.solver.center()); }, nb::rv_policy::move)
      .def("planes",
           [](Solver& self, std::size_t t) {
             nb::list result;
             for (const Bundle::TermPlane& plane : self.solver.planes(t))
               result.append(nb::make_tuple(copy_out<std::int32_t>(plane.support), plane.cost, plane.weight));
             return result;
           },
           nb::arg("term"), "A term's part of the planes with weight: (support in slots, cost, weight in y).");
}

}  // namespace fwmap
