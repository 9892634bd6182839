#include "bindings.hpp"
#include "tightening/reparametrization.hpp"

namespace fwmap {
namespace {

/// A reparametrization and the decomposition it reads.
struct Held {
  nb::object decomposition;
  Reparametrization own;
};

int traverse_held(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Held>(self)->decomposition.ptr());
  return 0;
}

PyType_Slot held_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_held)}, {0, nullptr}};

template <class Find>
nb::list proposals(Find find) {
  std::vector<CycleProposal> found;
  {
    nb::gil_scoped_release release;
    found = find();
  }
  nb::list result;
  for (const CycleProposal& one : found) {
    const std::vector<std::uint8_t> flipped(one.cycle.flipped.begin(), one.cycle.flipped.end());
    result.append(nb::make_tuple(copy_out<std::int32_t>(one.cycle.edges), copy_out<std::uint8_t>(flipped), one.gain));
  }
  return result;
}

}  // namespace

void bind_tightening(nb::module_& module) {
  nb::class_<Held>(module, "Reparametrization", nb::type_slots(held_slots),
                   "Forests and cycles as nodes, edges and cycles; see core/tightening/reparametrization.hpp.")
      .def("__init__",
           [](Held* self, nb::handle_t<Decomposition> decomposition, std::size_t n_forests, const Array<double>& lambda) {
             const auto& own = nb::cast<const Decomposition&>(decomposition);
             if (lambda.size() != own.n_slots()) throw std::invalid_argument("the multipliers have the wrong size");
             new (self) Held{nb::borrow(decomposition), Reparametrization(own, n_forests, view(lambda))};
           },
           nb::arg("decomposition"), nb::arg("n_forests"), nb::arg("multipliers"))
      .def("spread", [](Held& self) { self.own.spread(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("sweep", [](Held& self, bool forward) { self.own.sweep(forward); }, nb::arg("forward"),
           nb::call_guard<nb::gil_scoped_release>())
      .def("bound", [](Held& self) { return self.own.bound(); }, nb::call_guard<nb::gil_scoped_release>(),
           "The sum of the minima, as computed.")
      .def("add",
           [](Held& self, const Array<std::int32_t>& edges, const Array<std::uint8_t>& flipped) {
             EdgeCycle cycle;
             cycle.edges.assign(edges.data(), edges.data() + edges.size());
             cycle.flipped.assign(flipped.data(), flipped.data() + flipped.size());
             self.own.add(std::move(cycle));
           },
           nb::arg("edges"), nb::arg("flipped"))
      .def("triangles",
           [](Held& self, std::size_t most, double least, double max_operations) {
             return proposals([&] { return self.own.triangles(most, least, max_operations); });
           },
           nb::arg("most"), nb::arg("least"), nb::arg("max_operations"), "Edges, their directions, and the gain of each.")
      .def("odd_cycles",
           [](Held& self, std::size_t most, double least, std::size_t longest, double max_operations) {
             return proposals([&] { return self.own.odd_cycles(most, least, longest, max_operations); });
           },
           nb::arg("most"), nb::arg("least"), nb::arg("longest"), nb::arg("max_operations"), "The same of longer cycles.")
      .def("multipliers",
           [](const Held& self, const Decomposition& decomposition, const Array<double>& others) {
             return copy_out<double>(self.own.multipliers(decomposition, view(others)));
           },
           nb::arg("decomposition"), nb::arg("others"))
      .def_prop_ro("n_edges", [](const Held& self) { return self.own.n_edges(); })
      .def_prop_ro("n_cycles", [](const Held& self) { return self.own.n_cycles(); })
      .def_prop_ro("work", [](const Held& self) { return self.own.work(); });
}

}  // namespace fwmap
