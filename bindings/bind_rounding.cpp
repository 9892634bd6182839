#include "bindings.hpp"
#include "rounding/exchange_search.hpp"
#include "rounding/fractional.hpp"
#include "rounding/labeling_search.hpp"
#include "rounding/local_search.hpp"
#include "rounding/matching_search.hpp"
#include "rounding/sequential.hpp"
#include "rounding/tabu_search.hpp"

namespace fwmap {
namespace {

std::shared_ptr<FieldGraph> field_graph(const Array<std::int64_t>& offsets, const Array<double>& unaries,
                                        const Array<std::int32_t>& first, const Array<std::int32_t>& second,
                                        const Array<std::uint8_t>& kind, const Array<std::int64_t>& table,
                                        const Array<double>& weight, const Array<double>& truncation,
                                        std::shared_ptr<TablePool> tables, const Array<std::int64_t>& scopes,
                                        const Array<std::int64_t>& scope_offsets, const Array<std::int64_t>& factor_begin,
                                        const Array<double>& factor_values) {
  Field field;
  field.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  field.unaries = view(unaries);
  field.tables = std::move(tables);
  field.owner = hold(nb::make_tuple(nb::cast(unaries), nb::cast(factor_values)));
  for (std::size_t e = 0; e < first.size(); ++e)
    field.edges.push_back(
        {first.data()[e], second.data()[e],
         {static_cast<EdgeKind>(kind.data()[e]), table.data()[e], weight.data()[e], truncation.data()[e]}});
  for (std::size_t f = 0; f + 1 < scope_offsets.size(); ++f) {
    FieldFactor factor{{}, factor_values.data() + factor_begin.data()[f]};
    for (auto k = scope_offsets.data()[f]; k < scope_offsets.data()[f + 1]; ++k)
      factor.scope.push_back(static_cast<Index>(scopes.data()[k]));
    field.factors.push_back(std::move(factor));
  }
  return std::make_shared<FieldGraph>(std::move(field));
}

// Runs a search on a copy of the labeling; returns the copy, the change of the energy and the operations.
template <class Search>
nb::tuple searched(const Array<std::int32_t>& labeling, Search search) {
  std::vector<Index> labels(labeling.data(), labeling.data() + labeling.size());
  MoveOutcome outcome;
  {
    nb::gil_scoped_release release;
    outcome = search(labels);
  }
  return nb::make_tuple(copy_out<std::int32_t>(labels), outcome.change, outcome.operations);
}

nb::tuple complete_marginals(const FieldGraph& graph, const Array<std::int64_t>& masses,
                             const Array<std::int32_t>& hint_factors, const Array<std::int64_t>& hint_entries,
                             const Array<std::int64_t>& hint_masses, double max_operations) {
  std::vector<std::int64_t> routed(masses.data(), masses.data() + masses.size());
  std::vector<FactorHint> hints;
  for (std::size_t k = 0; k < hint_factors.size(); ++k)
    hints.push_back({hint_factors.data()[k], hint_entries.data()[k], hint_masses.data()[k]});
  Completion completion;
  {
    nb::gil_scoped_release release;
    completion = complete(graph, routed, hints, max_operations);
  }
  return nb::make_tuple(completion.within_budget, copy_out<std::int64_t>(routed), copy_out<double>(completion.costs),
                        completion.rounding, completion.operations);
}

void bind_matching_search(nb::module_& module) {
  nb::class_<MatchingSearch>(module, "MatchingSearch", "Searches among matchings; see core/rounding/matching_search.hpp.")
      .def("__init__",
           [](MatchingSearch* self, const Array<std::int64_t>& offsets, const Array<std::int32_t>& partners,
              Index n_partners, const Array<double>& costs, const Array<std::int32_t>& first,
              const Array<std::int32_t>& second, const Array<double>& pair_costs, std::uint64_t seed) {
             new (self) MatchingSearch({as_vector(offsets), as_vector(partners), n_partners, as_vector(costs),
                                        as_vector(first), as_vector(second), as_vector(pair_costs)},
                                       seed);
           },
           nb::arg("offsets"), nb::arg("partners"), nb::arg("n_partners"), nb::arg("costs"), nb::arg("first"),
           nb::arg("second"), nb::arg("pair_costs"), nb::arg("seed"))
      .def("energy",
           [](const MatchingSearch& self, const Array<std::int32_t>& labeling) { return self.energy(view(labeling)); },
           nb::arg("labeling"))
      .def("descend",
           [](MatchingSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.descend(labels, max_operations); });
           },
           nb::arg("labeling"), nb::arg("max_operations"), "The best move of each point, until none helps.")
      .def("wander",
           [](MatchingSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.wander(labels, max_operations); });
           },
           nb::arg("labeling"), nb::arg("max_operations"), "Tabu search.");
}

void bind_exchange_search(nb::module_& module) {
  nb::class_<ExchangeSearch>(module, "ExchangeSearch", "Searches among permutations; see core/rounding/exchange_search.hpp.")
      .def("__init__",
           [](ExchangeSearch* self, std::size_t n_real, const Array<double>& left, const Array<double>& right,
              const Array<double>& linear, std::uint64_t seed) {
             const auto n = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(linear.size()))));
             new (self) ExchangeSearch({n, n_real, as_vector(left), as_vector(right), as_vector(linear)}, seed);
           },
           nb::arg("n_real"), nb::arg("left"), nb::arg("right"), nb::arg("linear"), nb::arg("seed"),
           "Square matrices, row by row.")
      .def("energy",
           [](const ExchangeSearch& self, const Array<std::int32_t>& permutation) { return self.energy(view(permutation)); },
           nb::arg("permutation"))
      .def("descend",
           [](ExchangeSearch& self, const Array<std::int32_t>& permutation, double max_operations) {
             return searched(permutation, [&](std::span<Index> places) { return self.descend(places, max_operations); });
           },
           nb::arg("permutation"), nb::arg("max_operations"), "The best exchange, until none helps.")
      .def("wander",
           [](ExchangeSearch& self, const Array<std::int32_t>& permutation, double max_operations) {
             return searched(permutation, [&](std::span<Index> places) { return self.wander(places, max_operations); });
           },
           nb::arg("permutation"), nb::arg("max_operations"), "Tabu search.");
}

}  // namespace

void bind_rounding(nb::module_& module) {
  bind_exchange_search(module);
  bind_matching_search(module);

  nb::class_<FieldGraph>(module, "FieldGraph", "A field and its incidences, shared by searches.")
      .def(nb::new_(&field_graph), nb::arg("offsets"), nb::arg("unaries"), nb::arg("first"), nb::arg("second"),
           nb::arg("kind"), nb::arg("table"), nb::arg("weight"), nb::arg("truncation"), nb::arg("tables"),
           nb::arg("scopes"), nb::arg("scope_offsets"), nb::arg("factor_begin"), nb::arg("factor_values"));

  nb::class_<LocalSearch>(module, "LocalSearch", "Improves labelings one node at a time.")
      .def("__init__",
           [](LocalSearch* self, std::shared_ptr<FieldGraph> graph) { new (self) LocalSearch(std::move(graph)); },
           nb::arg("graph"))
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

  module.def("round_sequentially",
             [](const FieldGraph& graph, const Array<double>& marginals) {
               std::vector<Index> labels(graph.n_nodes());
               double spent = 0;
               {
                 nb::gil_scoped_release release;
                 spent = round_sequentially(graph, view(marginals), labels);
               }
               return nb::make_tuple(copy_out<std::int32_t>(labels), spent);
             },
             nb::arg("graph"), nb::arg("marginals"), "A labeling, node by node, and the operations spent.");

  module.def("complete_marginals", &complete_marginals, nb::arg("graph"), nb::arg("masses"), nb::arg("hint_factors"),
             nb::arg("hint_entries"), nb::arg("hint_masses"), nb::arg("max_operations"),
             "Whether the budget sufficed; the masses that could be paired; costs of nodes, edges and factors, times "
             "mass; their rounding; operations. See core/rounding/fractional.hpp.");

  nb::class_<LabelingSearch>(module, "LabelingSearch", "Iterated search by forest moves; see core/rounding/labeling_search.hpp.")
      .def("__init__",
           [](LabelingSearch* self, std::shared_ptr<FieldGraph> graph, std::uint64_t seed) {
             new (self) LabelingSearch(std::move(graph), seed);
           },
           nb::arg("graph"), nb::arg("seed"))
      .def("descend",
           [](LabelingSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.descend(labels, max_operations); });
           },
           nb::arg("labeling"), nb::arg("max_operations"), "Sweeps of forest moves.")
      .def("fuse",
           [](LabelingSearch& self, const Array<std::int32_t>& labeling, const Array<std::int32_t>& other,
              double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.fuse(labels, view(other), max_operations); });
           },
           nb::arg("labeling"), nb::arg("other"), nb::arg("max_operations"), "The better parts of two labelings.")
      .def("expand",
           [](LabelingSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.expand(labels, max_operations); });
           },
           nb::arg("labeling"), nb::arg("max_operations"), "Expansion moves, each label once.")
      .def("kick",
           [](LabelingSearch& self, const Array<std::int32_t>& labeling, const Array<std::int32_t>& guides,
              double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.kick(labels, view(guides), max_operations); });
           },
           nb::arg("labeling"), nb::arg("guides"), nb::arg("max_operations"),
           "Kicks and repairs; `guides` holds labelings one after the other.")
      .def("resolve",
           [](LabelingSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.resolve(labels, max_operations); });
           },
           nb::arg("labeling"), nb::arg("max_operations"), "Parts re-solved by elimination.");

  nb::class_<TabuSearch>(module, "TabuSearch", "Changes of one node at a time; see core/rounding/tabu_search.hpp.")
      .def("__init__",
           [](TabuSearch* self, std::shared_ptr<FieldGraph> graph, std::uint64_t seed) {
             new (self) TabuSearch(std::move(graph), seed);
           },
           nb::arg("graph"), nb::arg("seed"))
      .def("wander",
           [](TabuSearch& self, const Array<std::int32_t>& labeling, double max_operations) {
             return searched(labeling, [&](std::span<Index> labels) { return self.wander(labels, max_operations); });
           },
           nb::arg("labeling"), nb::arg("max_operations"), "Tabu search.");
}

}  // namespace fwmap
