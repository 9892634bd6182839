#include "bindings.hpp"
#include "rounding/local_search.hpp"

namespace fwmap {

void bind_local_search(nb::module_& module) {
  nb::class_<LocalSearch>(module, "LocalSearch", "Improves labelings one node at a time.")
      .def("__init__",
           [](LocalSearch* self, const Array<std::int64_t>& offsets, const Array<double>& unaries,
              const Array<std::int32_t>& first, const Array<std::int32_t>& second, const Array<std::uint8_t>& kind,
              const Array<std::int64_t>& table, const Array<double>& weight, const Array<double>& truncation,
              std::shared_ptr<TablePool> tables, const Array<std::int64_t>& scopes, const Array<std::int64_t>& scope_offsets,
              const Array<std::int64_t>& factor_begin, const Array<double>& factor_values) {
             Field field;
             field.offsets.assign(offsets.data(), offsets.data() + offsets.size());
             field.unaries = view(unaries);
             field.tables = std::move(tables);
             field.owner = hold(nb::make_tuple(nb::cast(unaries), nb::cast(factor_values)));
             for (std::size_t e = 0; e < first.size(); ++e)
               field.edges.push_back({first.data()[e], second.data()[e],
                                      {static_cast<EdgeKind>(kind.data()[e]), table.data()[e], weight.data()[e],
                                       truncation.data()[e]}});
             for (std::size_t f = 0; f + 1 < scope_offsets.size(); ++f) {
               FieldFactor factor{{}, factor_values.data() + factor_begin.data()[f]};
               for (auto k = scope_offsets.data()[f]; k < scope_offsets.data()[f + 1]; ++k)
                 factor.scope.push_back(static_cast<Index>(scopes.data()[k]));
               field.factors.push_back(std::move(factor));
             }
             new (self) LocalSearch(std::move(field));
           },
           nb::arg("offsets"), nb::arg("unaries"), nb::arg("first"), nb::arg("second"), nb::arg("kind"), nb::arg("table"),
           nb::arg("weight"), nb::arg("truncation"), nb::arg("tables"), nb::arg("scopes"), nb::arg("scope_offsets"),
           nb::arg("factor_begin"), nb::arg("factor_values"))
      .def("energy",
           [](const LocalSearch& self, const Array<std::int32_t>& labeling) {
             const LocalSearch::Cost cost = self.energy(view(labeling));
             return nb::make_tuple(cost.forbidden, cost.finite);
           },
           nb::arg("labeling"), "Forbidden entries in use, and the sum of the other costs, without the constant.")
      .def("improve",
           [](LocalSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             std::vector<Index> labels(labeling.data(), labeling.data() + labeling.size());
             double spent = 0;
             {
               nb::gil_scoped_release release;
               spent = self.improve(labels, max_operations);
             }
             return nb::make_tuple(copy_out<std::int32_t>(labels), spent);
           },
           nb::arg("labeling"), nb::arg("max_operations"), "The improved labeling and the operations spent.");
}

}  // namespace fwmap
