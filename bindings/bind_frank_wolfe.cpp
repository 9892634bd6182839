#include "bindings.hpp"
#include "frank_wolfe.hpp"
#include "running.hpp"

namespace fwmap {
void bind_frank_wolfe(nb::module_& module) {
  nb::class_<Pass>(module, "Pass", "What a pass over the terms did.")
      .def_ro("complete", &Pass::complete)
      .def_ro("infeasible", &Pass::infeasible)
      .def_ro("term", &Pass::term)
      .def_ro("decrease", &Pass::decrease)
      .def_ro("work", &Pass::work);
  nb::class_<Evaluation, Pass>(module, "Evaluation", "h at one point.")
      .def_ro("bound", &Evaluation::bound)
      .def_ro("value", &Evaluation::value)
      .def_ro("A", &Evaluation::A)
      .def_ro("A_best", &Evaluation::A_best)
      .def_ro("spread", &Evaluation::spread)
      .def_ro("B", &Evaluation::B);

  using Solver = Guarded<FrankWolfe>;
  nb::class_<Solver>(module, "FrankWolfe", "Multi-plane block-coordinate Frank-Wolfe; see core/frank_wolfe.hpp.")
      .def("__init__",
           [](Solver* self, Decomposition& decomposition, std::uint64_t seed, std::int64_t cache_iterations,
              int pairwise_steps) {
             new (self) Solver{FrankWolfe(decomposition, seed, cache_iterations, BlockStep{pairwise_steps})};
           },
           nb::arg("decomposition"), nb::arg("seed"), nb::arg("cache_iterations"),
           nb::arg("pairwise_steps"), nb::keep_alive<1, 2>())
      .def("initialize",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](FrankWolfe& s) { return s.initialize(watch); });
           },
           nb::arg("seconds"))
      .def("exact_pass",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](FrankWolfe& s) { return s.exact_pass(watch); });
           },
           nb::arg("seconds"))
      .def("approximate_pass",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](FrankWolfe& s) { return s.approximate_pass(watch); });
           },
           nb::arg("seconds"))
      .def("evaluate",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](FrankWolfe& s) { return s.evaluate(watch); });
           },
           nb::arg("seconds"))
      .def("move_center",
           [](Solver& self, bool to_best, double momentum) {
             self.run([&](FrankWolfe& s) { s.move_center(to_best, momentum); return 0; });
           },
           nb::arg("to_best"), nb::arg("momentum") = 0.0)
      .def("set_center",
           [](Solver& self, const Array<double>& target) {
             if (target.size() != self.solver.decomposition().n_slots())
               throw std::invalid_argument("the centre has the wrong size");
             self.run([&](FrankWolfe& s) { s.set_center(view(target)); return 0; });
           },
           nb::arg("target"))
      .def_prop_rw(
          "proximal_weight", [](Solver& self) { return self.solver.proximal_weight(); },
          [](Solver& self, double c) { self.run([&](FrankWolfe& s) { s.set_proximal_weight(c); return 0; }); })
      .def_prop_rw(
          "pairwise_steps", [](Solver& self) { return self.solver.block_step().pairwise_steps; },
          [](Solver& self, int steps) { self.solver.set_block_step(BlockStep{steps}); })
      .def_prop_ro("objective", [](Solver& self) { return self.solver.objective(); })
      .def_prop_ro("iteration", [](Solver& self) { return self.solver.iteration(); })
      .def_prop_ro("oracle_calls", [](Solver& self) { return self.solver.oracle_calls(); })
      .def_prop_ro("work", [](Solver& self) { return self.solver.work(); })
      .def_prop_ro("n_planes", [](Solver& self) { return self.solver.n_planes(); })
      .def_prop_ro("evaluated_lambda", [](Solver& self) { return copy_out<double>(self.solver.evaluated_lambda()); }, nb::rv_policy::move)
      .def_prop_ro("best_lambda", [](Solver& self) { return copy_out<double>(self.solver.best_lambda()); }, nb::rv_policy::move)
      .def_prop_ro("center", [](Solver& self) { return copy_out<double>(self.solver.point().center()); }, nb::rv_policy::move)
      .def_prop_ro("y", [](Solver& self) { return copy_out<double>(self.solver.point().all_y()); },
                   nb::rv_policy::move, "y over the slots of all terms.")
      .def_prop_ro("y_costs", [](Solver& self) { return copy_out<double>(self.solver.point().costs()); }, nb::rv_policy::move)
      .def("minimizer", [](Solver& self, std::size_t t) { return copy_out<std::int32_t>(self.solver.minimizer(t)); },
           nb::arg("term"))
      .def("minimizer_cost", [](Solver& self, std::size_t t) { return self.solver.minimizer_cost(t); }, nb::arg("term"))
      .def("marginals", [](Solver& self) { return copy_out<double>(self.solver.marginals()); })
      .def("planes",
           [](Solver& self, std::size_t t) {
             nb::list result;
             const PlaneCache& cache = self.solver.cache(t);
             for (std::size_t k = 0; k < cache.size(); ++k)
               result.append(nb::make_tuple(copy_out<std::int32_t>(cache[k].support), cache[k].cost, cache[k].weight));
             return result;
           },
           nb::arg("term"), "Cached planes of a term: (support in slots, cost, weight in y).");
}

}  // namespace fwmap
