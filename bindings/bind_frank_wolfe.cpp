#include "bindings.hpp"
#include "frank_wolfe.hpp"
#include "running.hpp"

namespace fwmap {
namespace {

std::int64_t take_planes(FrankWolfe& solver, std::span<const std::int64_t> counts, std::span<const std::int64_t> sizes,
                         std::span<const std::int32_t> supports, std::span<const double> weights) {
  std::int64_t taken = 0;
  std::size_t plane = 0, entry = 0;
  std::vector<Index> support;
  for (std::size_t t = 0; t < counts.size(); ++t)
    for (std::int64_t k = 0; k < counts[t]; ++k, ++plane) {
      const auto size = static_cast<std::size_t>(sizes[plane]);
      const std::span<const std::int32_t> given = supports.subspan(entry, size);
      support.assign(given.begin(), given.end());
      entry += size;
      if (solver.take_plane(t, support, weights[plane])) ++taken;
    }
  return taken;
}

}  // namespace

void bind_frank_wolfe(nb::module_& module) {
  nb::class_<Pass>(module, "Pass", "What a pass over the terms did.")
      .def_ro("complete", &Pass::complete)
      .def_ro("infeasible", &Pass::infeasible)
      .def_ro("term", &Pass::term)
      .def_ro("estimate", &Pass::estimate)
      .def_ro("decrease", &Pass::decrease)
      .def_ro("work", &Pass::work);
  nb::class_<Evaluation, Pass>(module, "Evaluation", "h at one point.")
      .def_ro("bound", &Evaluation::bound)
      .def_ro("value", &Evaluation::value)
      .def_ro("A", &Evaluation::A)
      .def_ro("A_best", &Evaluation::A_best)
      .def_ro("spread", &Evaluation::spread)
      .def_ro("slope", &Evaluation::slope)
      .def_ro("B", &Evaluation::B);

  using Solver = Guarded<FrankWolfe>;
  nb::class_<Solver>(module, "FrankWolfe", nb::type_slots(solver_slots<FrankWolfe>),
                     "Multi-plane block-coordinate Frank-Wolfe; see core/frank_wolfe.hpp.")
      .def("__init__",
           [](Solver* self, nb::handle_t<Decomposition> decomposition, std::uint64_t seed, std::int64_t cache_iterations,
              int pairwise_steps, int threads) {
             new (self) Solver{nb::borrow(decomposition),
                              FrankWolfe(nb::cast<Decomposition&>(decomposition), seed, cache_iterations, BlockStep{pairwise_steps}, threads)};
           },
           nb::arg("decomposition"), nb::arg("seed"), nb::arg("cache_iterations"),
           nb::arg("pairwise_steps"), nb::arg("threads") = 1)
      .def("take_planes",
           [](Solver& self, const Array<std::int64_t>& counts, const Array<std::int64_t>& sizes,
              const Array<std::int32_t>& supports, const Array<double>& weights) {
             return self.run([&](FrankWolfe& s) { return take_planes(s, view(counts), view(sizes), view(supports), view(weights)); });
           },
           nb::arg("counts"), nb::arg("sizes"), nb::arg("supports"), nb::arg("weights"),
           "Planes as `all_planes` gives them; returns how many could be used. Before `initialize`.")
      .def("count_from",
           [](Solver& self, std::int64_t iteration, std::int64_t oracle_calls, double work) {
             self.run([&](FrankWolfe& s) { s.count_from(iteration, oracle_calls, work); return 0; });
           },
           nb::arg("iteration"), nb::arg("oracle_calls"), nb::arg("work"))
      .def("take_best",
           [](Solver& self, const Array<double>& lambda, double bound, double value) {
             if (lambda.size() != self.solver.decomposition().n_slots())
               throw std::invalid_argument("lambda is not over the slots of all terms");
             self.run([&](FrankWolfe& s) { s.take_best(view(lambda), bound, value); return 0; });
           },
           nb::arg("multipliers"), nb::arg("bound"), nb::arg("value"))
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
      .def_prop_ro("shared_loops", [](Solver& self) { return self.solver.shared_loops(); })
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
      .def("all_planes",
           [](Solver& self) {
             std::vector<std::int64_t> counts, sizes;
             std::vector<std::int32_t> supports;
             std::vector<double> weights;
             for (std::size_t t = 0; t < self.solver.decomposition().terms().size(); ++t) {
               const PlaneCache& cache = self.solver.cache(t);
               counts.push_back(static_cast<std::int64_t>(cache.size()));
               for (std::size_t k = 0; k < cache.size(); ++k) {
                 const std::vector<Index> support = self.solver.decomposition().terms()[t].coordinates(cache[k].support);
                 sizes.push_back(static_cast<std::int64_t>(support.size()));
                 supports.insert(supports.end(), support.begin(), support.end());
                 weights.push_back(cache[k].weight);
               }
             }
             return nb::make_tuple(copy_out<std::int64_t>(counts), copy_out<std::int64_t>(sizes),
                                   copy_out<std::int32_t>(supports), copy_out<double>(weights));
           },
           "Planes of all terms: their number per term; size of each support; supports in oracle coordinates; weights.")
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
