#include "bindings.hpp"
#include "rounding/ray_search.hpp"

namespace fwmap {

void bind_ray_search(nb::module_& module) {
  nb::class_<RaySearch>(module, "RaySearch", "Searches for labelings with given sums; see core/rounding/ray_search.hpp.")
      .def("__init__",
           [](RaySearch* self, std::shared_ptr<FieldGraph> graph, const Array<std::int64_t>& offsets,
              const Array<std::int32_t>& pixels, const Array<std::int64_t>& cost_offsets, const Array<double>& costs,
              std::uint64_t seed) {
             new (self) RaySearch(std::move(graph),
                                  {as_vector(offsets), as_vector(pixels), as_vector(cost_offsets), as_vector(costs)}, seed);
           },
           nb::arg("graph"), nb::arg("offsets"), nb::arg("pixels"), nb::arg("cost_offsets"), nb::arg("costs"), nb::arg("seed"))
      .def_prop_ro("has_exchanges", &RaySearch::has_exchanges, "True where the rays fall into two sets of disjoint ones.")
      .def("begin",
           [](RaySearch& self, const Array<std::int32_t>& labeling, double hot, double cold, double penalty,
              double max_operations) { self.begin(view(labeling), {hot, cold, penalty}, max_operations); },
           nb::arg("labeling"), nb::arg("hot"), nb::arg("cold"), nb::arg("penalty"), nb::arg("max_operations"),
           "Prepares an annealing.")
      .def("anneal",
           [](RaySearch& self, double max_operations) {
             nb::gil_scoped_release release;
             return self.anneal(max_operations);
           },
           nb::arg("max_operations"), "Goes on; returns the operations spent.")
      .def_prop_ro("is_over", &RaySearch::is_over, "True when the annealing is over.")
      .def_prop_ro("best", [](const RaySearch& self) { return copy_out<std::int32_t>(self.best()); },
                   nb::rv_policy::move, "Its best labeling.")
      .def_prop_ro("best_violation", &RaySearch::best_violation, "What that violates: the sum over rays.")
      .def("exchange",
           [](RaySearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             std::vector<Index> labels = as_vector(labeling);
             double operations = 0;
             {
               nb::gil_scoped_release release;
               operations = self.exchange(labels, max_operations);
             }
             return nb::make_tuple(copy_out<std::int32_t>(labels), operations);
           },
           nb::arg("labeling"), nb::arg("max_operations"),
           "A labeling that violates less, by exchanges along cheapest paths, and the operations spent.");
}

}  // namespace fwmap
