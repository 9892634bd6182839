#include "bindings.hpp"
#include "decomposition.hpp"
#include "oracles/assignment.hpp"
#include "oracles/chain.hpp"
#include "oracles/cycle.hpp"
#include "oracles/factor.hpp"
#include "oracles/forest.hpp"
#include "oracles/local_matching.hpp"
#include "oracles/projection.hpp"
#include "oracles/star.hpp"
#include "reduced_costs.hpp"
#include "running.hpp"
#include "typical_spread.hpp"

namespace fwmap {
namespace {

/// An oracle whose minimiser is computed by a Python callable: weights in, (ascending support, cost) out. The
/// callable checks what the user's oracle returned (see decompose/own.py).
class PythonOracle final : public Oracle {
 public:
  PythonOracle(nb::object minimize, Index n_coordinates, double operations)
      : minimize_(std::move(minimize)), n_coordinates_(n_coordinates), operations_(operations) {}
  ~PythonOracle() override {
    nb::gil_scoped_acquire gil;
    minimize_.reset();
  }

  Index n_coordinates() const override { return n_coordinates_; }
  double operations() const override { return operations_; }
  bool any_thread() const override { return false; }

  nb::handle callable() const { return minimize_; }
  void forget() { minimize_.reset(); }

  Minimum minimize(std::span<const double> weights, std::vector<Index>& support) override {
    nb::gil_scoped_acquire gil;
    std::vector<double> full(static_cast<std::size_t>(n_coordinates_), 0.0);
    std::copy(weights.begin(), weights.end(), full.begin());
    const nb::object answer = minimize_(copy_out<double>(full));
    const auto pair = nb::cast<nb::tuple>(answer);
    support.clear();
    if (pair[0].is_none()) return {kInfinity, kInfinity, 0};
    const auto indices = nb::cast<Array<std::int32_t>>(pair[0]);
    support.assign(indices.data(), indices.data() + indices.size());
    Minimum result;
    result.cost = nb::cast<double>(pair[1]);
    result.value = result.cost;
    double magnitude = std::abs(result.cost);
    for (const Index i : support) {
      const double weight = weight_at(weights, static_cast<std::size_t>(i));
      result.value += weight;
      magnitude += std::abs(weight);
    }
    result.rounding = rounding_factor(static_cast<double>(support.size()) + 2) * magnitude;
    return result;
  }

  double cost(std::span<const Index> support) const override {
    nb::gil_scoped_acquire gil;
    return nb::cast<double>(minimize_.attr("cost")(copy_out<std::int32_t>(support)));
  }

 private:
  nb::object minimize_;
  Index n_coordinates_;
  double operations_;
};

// Python's collector must see which oracles a decomposition holds: an oracle may keep an exception, and that the
// frames of the solve, and those the decomposition.
int traverse_decomposition(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  for (const Term& term : nb::inst_ptr<Decomposition>(self)->terms())
    if (const auto* own = dynamic_cast<const PythonOracle*>(term.oracle.get())) Py_VISIT(own->callable().ptr());
  return 0;
}

int clear_decomposition(PyObject* self) {
  for (Term& term : nb::inst_ptr<Decomposition>(self)->terms())
    if (auto* own = dynamic_cast<PythonOracle*>(term.oracle.get())) own->forget();
  return 0;
}

PyType_Slot decomposition_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_decomposition)},
                                     {Py_tp_clear, reinterpret_cast<void*>(clear_decomposition)},
                                     {0, nullptr}};

EdgeCost edge_cost_of(std::uint8_t kind, std::int64_t table, double weight, double truncation) {
  return {static_cast<EdgeKind>(kind), table, weight, truncation};
}

std::vector<ForestEdge> edges_of(const Array<std::int32_t>& first, const Array<std::int32_t>& second,
                                 const Array<std::uint8_t>& kind, const Array<std::int64_t>& table,
                                 const Array<double>& weight, const Array<double>& truncation) {
  std::vector<ForestEdge> edges;
  for (std::size_t e = 0; e < first.size(); ++e)
    edges.push_back({first.data()[e], second.data()[e],
                     edge_cost_of(kind.data()[e], table.data()[e], weight.data()[e], truncation.data()[e]), false});
  return edges;
}

void add_forest(Decomposition& decomposition, const Array<std::int64_t>& variables, const Array<std::int32_t>& n_labels,
                const Array<double>& unaries, const Array<std::int32_t>& first, const Array<std::int32_t>& second,
                const Array<std::uint8_t>& kind, const Array<std::int64_t>& table, const Array<double>& weight,
                const Array<double>& truncation, const Array<std::uint8_t>& shares_entries,
                std::shared_ptr<TablePool> tables, const std::string& name) {
  Forest forest;
  forest.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  forest.unaries.assign(unaries.data(), unaries.data() + unaries.size());
  forest.tables = std::move(tables);
  forest.edges = edges_of(first, second, kind, table, weight, truncation);
  for (std::size_t e = 0; e < forest.edges.size(); ++e) forest.edges[e].shares_entries = shares_entries.data()[e] != 0;
  decomposition.add(std::make_unique<ForestOracle>(std::move(forest)), view(variables), name);
}

void add_factor(Decomposition& decomposition, const Array<std::int64_t>& variables, const Array<std::int32_t>& n_labels,
                const Array<double>& unaries, const Array<double>& table, const std::vector<std::vector<Index>>& blocks,
                const std::string& name) {
  Factor factor;
  factor.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  factor.unaries.assign(unaries.data(), unaries.data() + unaries.size());
  factor.table = view(table);
  factor.owner = hold(nb::cast(table));
  factor.blocks = blocks;
  decomposition.add(std::make_unique<FactorOracle>(std::move(factor)), view(variables), name);
}

void add_projection(Decomposition& decomposition, const Array<std::int64_t>& variables,
                    const Array<std::int32_t>& n_labels, const Array<double>& unaries, const Array<double>& sum_costs,
                    const std::string& name) {
  Projection projection;
  projection.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  projection.unaries.assign(unaries.data(), unaries.data() + unaries.size());
  projection.sum_costs.assign(sum_costs.data(), sum_costs.data() + sum_costs.size());
  decomposition.add(std::make_unique<ProjectionOracle>(std::move(projection)), view(variables), name);
}

void add_chain(Decomposition& decomposition, const Array<std::int64_t>& variables, const Array<std::int32_t>& n_labels,
               const Array<double>& unaries, const Array<std::int32_t>& order, const Array<std::int32_t>& first,
               const Array<std::int32_t>& second, const Array<std::uint8_t>& kind, const Array<std::int64_t>& table,
               const Array<double>& weight, const Array<double>& truncation, std::shared_ptr<TablePool> tables,
               const Array<double>& sum_costs, const std::string& name) {
  Chain chain;
  chain.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  chain.unaries.assign(unaries.data(), unaries.data() + unaries.size());
  chain.order.assign(order.data(), order.data() + order.size());
  chain.edges = edges_of(first, second, kind, table, weight, truncation);
  chain.tables = std::move(tables);
  chain.sum_costs.assign(sum_costs.data(), sum_costs.data() + sum_costs.size());
  decomposition.add(std::make_unique<ChainOracle>(std::move(chain)), view(variables), name);
}

void add_cycle(Decomposition& decomposition, const Array<std::int64_t>& variables, const Array<std::int32_t>& n_labels,
               const Array<std::uint8_t>& flipped, const Array<std::uint8_t>& forbidden, const std::string& name) {
  Cycle cycle;
  cycle.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  cycle.flipped.assign(flipped.data(), flipped.data() + flipped.size());
  cycle.forbidden.assign(forbidden.data(), forbidden.data() + forbidden.size());
  decomposition.add(std::make_unique<CycleOracle>(std::move(cycle)), view(variables), name);
}

void add_assignment(Decomposition& decomposition, const Array<std::int64_t>& variables,
                    const Array<std::int32_t>& n_labels, const Array<double>& unaries,
                    const Array<std::int32_t>& partners, Index n_partners, const std::string& name) {
  Assignment assignment;
  assignment.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  assignment.unaries.assign(unaries.data(), unaries.data() + unaries.size());
  assignment.partners.assign(partners.data(), partners.data() + partners.size());
  assignment.n_partners = n_partners;
  decomposition.add(std::make_unique<AssignmentOracle>(std::move(assignment)), view(variables), name);
}

void add_star(Decomposition& decomposition, const Array<std::int64_t>& variables, const Array<double>& unaries,
              const Array<double>& weights, bool may_have_none, std::shared_ptr<StarTable> table, const std::string& name) {
  Star star;
  star.unaries.assign(unaries.data(), unaries.data() + unaries.size());
  star.weights.assign(weights.data(), weights.data() + weights.size());
  star.may_have_none = may_have_none;
  star.table = std::move(table);
  decomposition.add(std::make_unique<StarOracle>(std::move(star)), view(variables), name);
}

void add_local_matching(Decomposition& decomposition, const Array<std::int64_t>& variables,
                        const Array<std::int32_t>& n_labels, const Array<std::int32_t>& partners,
                        const Array<std::int32_t>& first, const Array<std::int32_t>& second,
                        const Array<std::uint8_t>& forbidden, const std::string& name) {
  LocalMatching problem;
  problem.n_labels.assign(n_labels.data(), n_labels.data() + n_labels.size());
  problem.partners.assign(partners.data(), partners.data() + partners.size());
  for (std::size_t e = 0; e < first.size(); ++e) problem.edges.push_back({first.data()[e], second.data()[e]});
  problem.forbidden.assign(forbidden.data(), forbidden.data() + forbidden.size());
  decomposition.add(std::make_unique<LocalMatchingOracle>(std::move(problem)), view(variables), name);
}

Term& term_at(Decomposition& decomposition, std::size_t t) { return decomposition.terms().at(t); }

}  // namespace

void bind_decomposition(nb::module_& module) {
  module.def(
      "typical_spreads",
      [](const Array<double>& values, const Array<std::int64_t>& begins, const Array<std::int64_t>& sizes, std::size_t most) {
        std::vector<double> result, scratch;
        for (std::size_t t = 0; t < begins.size(); ++t) {
          const auto begin = static_cast<std::size_t>(begins.data()[t]), size = static_cast<std::size_t>(sizes.data()[t]);
          result.push_back(typical_spread(view(values).subspan(begin, size), most, scratch));
        }
        return copy_out<double>(result);
      },
      nb::arg("values"), nb::arg("begins"), nb::arg("sizes"), nb::arg("most"),
      "How far the costs of each table lie apart, judged by at most so many of its entries.");

  nb::class_<TablePool>(module, "TablePool", "Pairwise tables, stored once. Keeps its arrays alive.")
      .def("__init__",
           [](TablePool* self, const Array<double>& values, const Array<std::int64_t>& offsets) {
             new (self) TablePool(view(values), view(offsets), hold(nb::cast(values)));
           },
           nb::arg("values"), nb::arg("offsets"));

  nb::class_<StarTable>(module, "StarTable", "The matrix of places that stars share.")
      .def("__init__",
           [](StarTable* self, const Array<double>& right, std::size_t n_places, std::size_t n_none) {
             new (self) StarTable(view(right), n_places, n_none);
           },
           nb::arg("right"), nb::arg("n_places"), nb::arg("n_none"));

  nb::class_<Decomposition>(module, "Decomposition", nb::type_slots(decomposition_slots),
                            "Terms and the variables they share.")
      .def("__init__",
           [](Decomposition* self, std::int64_t n_variables, const Array<std::int64_t>& groups, double constant) {
             new (self) Decomposition(n_variables, {groups.data(), groups.data() + groups.size()}, constant);
           },
           nb::arg("n_variables"), nb::arg("groups"), nb::arg("constant"))
      .def("add_forest", &add_forest, nb::arg("variables"), nb::arg("n_labels"), nb::arg("unaries"), nb::arg("first"),
           nb::arg("second"), nb::arg("kind"), nb::arg("table"), nb::arg("weight"), nb::arg("truncation"),
           nb::arg("shares_entries"), nb::arg("tables"), nb::arg("name"))
      .def("add_factor", &add_factor, nb::arg("variables"), nb::arg("n_labels"), nb::arg("unaries"), nb::arg("table"),
           nb::arg("blocks"), nb::arg("name"))
      .def("add_cycle", &add_cycle, nb::arg("variables"), nb::arg("n_labels"), nb::arg("flipped"), nb::arg("forbidden"),
           nb::arg("name"))
      .def("add_chain", &add_chain, nb::arg("variables"), nb::arg("n_labels"), nb::arg("unaries"), nb::arg("order"),
           nb::arg("first"), nb::arg("second"), nb::arg("kind"), nb::arg("table"), nb::arg("weight"), nb::arg("truncation"),
           nb::arg("tables"), nb::arg("sum_costs"), nb::arg("name"))
      .def("add_projection", &add_projection, nb::arg("variables"), nb::arg("n_labels"), nb::arg("unaries"),
           nb::arg("sum_costs"), nb::arg("name"))
      .def("add_assignment", &add_assignment, nb::arg("variables"), nb::arg("n_labels"), nb::arg("unaries"),
           nb::arg("partners"), nb::arg("n_partners"), nb::arg("name"))
      .def("add_star", &add_star, nb::arg("variables"), nb::arg("unaries"), nb::arg("weights"),
           nb::arg("may_have_none"), nb::arg("table"), nb::arg("name"))
      .def("add_local_matching", &add_local_matching, nb::arg("variables"), nb::arg("n_labels"), nb::arg("partners"),
           nb::arg("first"), nb::arg("second"), nb::arg("forbidden"), nb::arg("name"))
      .def("add_python",
           [](Decomposition& self, nb::object minimize, const Array<std::int64_t>& variables, double operations,
              const std::string& name) {
             self.add(std::make_unique<PythonOracle>(std::move(minimize), static_cast<Index>(variables.size()), operations),
                      view(variables), name);
           },
           nb::arg("minimize"), nb::arg("variables"), nb::arg("operations"), nb::arg("name"))
      .def("connect", &Decomposition::connect, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("n_terms", [](const Decomposition& self) { return self.terms().size(); })
      .def_prop_ro("n_slots", &Decomposition::n_slots)
      .def_prop_ro("n_shared", &Decomposition::n_shared)
      .def_prop_ro("n_variables", &Decomposition::n_variables)
      .def_prop_ro("constant", &Decomposition::constant)
      .def("term_name", [](Decomposition& self, std::size_t t) { return term_at(self, t).name; }, nb::arg("term"))
      .def("n_coordinates", [](Decomposition& self, std::size_t t) { return term_at(self, t).oracle->n_coordinates(); },
           nb::arg("term"))
      .def("shared_variables",
           [](Decomposition& self, std::size_t t) {
             std::vector<std::int64_t> result;
             for (const Run& run : term_at(self, t).shared)
               for (Index k = 0; k < run.length; ++k)
                 result.push_back(self.variable_of_shared()[static_cast<std::size_t>(run.variable + k)]);
             return copy_out<std::int64_t>(result);
           },
           nb::arg("term"), "Variable of each shared slot of a term.")
      .def("variables",
           [](Decomposition& self, std::size_t t) {
             std::vector<std::int64_t> result;
             for (const Run& run : term_at(self, t).variables)
               for (Index k = 0; k < run.length; ++k) result.push_back(run.variable + k);
             return copy_out<std::int64_t>(result);
           },
           nb::arg("term"), "Variable of each coordinate of a term's oracle.")
      .def("minimize",
           [](Decomposition& self, std::size_t t, const Array<double>& weights) {
             std::vector<Index> support;
             const Minimum minimum = term_at(self, t).oracle->minimize(view(weights), support);
             return nb::make_tuple(copy_out<std::int32_t>(support), minimum.cost, minimum.value, minimum.rounding);
           },
           nb::arg("term"), nb::arg("weights"), "Support, cost, value and rounding of a term's minimiser.")
      .def("min_marginals",
           [](Decomposition& self, std::size_t t, const Array<double>& weights) -> nb::object {
             std::vector<double> result(static_cast<std::size_t>(term_at(self, t).oracle->n_coordinates()));
             if (!term_at(self, t).oracle->min_marginals(view(weights), result)) return nb::none();
             return nb::cast(copy_out<double>(result));
           },
           nb::arg("term"), nb::arg("weights"), "Min-marginals of a term's coordinates; None where it has none.")
      .def("reduced_costs",
           [](Decomposition& self, const Array<double>& lambda, double seconds) {
             DeadlineWatch watch(seconds);
             if (lambda.size() != self.n_slots()) throw std::invalid_argument("lambda is not over the slots of all terms");
             const ReducedCosts costs = [&] {
               nb::gil_scoped_release release;
               return reduced_costs(self, view(lambda), watch);
             }();
             return nb::make_tuple(costs.complete, costs.infeasible, costs.bound, copy_out<double>(costs.excess), costs.work);
           },
           nb::arg("multipliers"), nb::arg("seconds"),
           "Whether it is complete, and infeasible; the bound, what each variable costs more than it, and the work.")
      .def("cost",
           [](Decomposition& self, std::size_t t, const Array<std::int32_t>& support) {
             return term_at(self, t).oracle->cost(view(support));
           },
           nb::arg("term"), nb::arg("support"))
      .def("operations", [](Decomposition& self, std::size_t t) { return term_at(self, t).oracle->operations(); },
           nb::arg("term"));
}

}  // namespace fwmap
