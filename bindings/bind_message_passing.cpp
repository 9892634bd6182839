#include "dual_method.hpp"
#include "message_passing.hpp"

namespace fwmap {

void bind_message_passing(nb::module_& module) {
  nb::class_<Sweep, Pass>(module, "Sweep", "What sweeps over the nodes did.").def_ro("bound", &Sweep::bound);

  using Solver = Guarded<MessagePassing>;
  nb::class_<Solver> type(module, "MessagePassing", nb::type_slots(solver_slots<MessagePassing>),
                          "Sequential reweighted message passing; see core/message_passing.hpp.");
  bind_dual_method<MessagePassing>(type);
  bind_minimizers_as_planes<MessagePassing>(type);
  type.def("__init__",
           [](Solver* self, nb::handle_t<Decomposition> decomposition, double highest_message, int threads) {
             new (self) Solver{nb::borrow(decomposition),
                              MessagePassing(nb::cast<Decomposition&>(decomposition), highest_message, threads)};
           },
           nb::arg("decomposition"), nb::arg("highest_message"), nb::arg("threads") = 1)
      .def("start_from",
           [](Solver& self, const Array<double>& multipliers) {
             self.run([&](MessagePassing& s) { s.start_from(view(multipliers)); return 0; });
           },
           nb::arg("multipliers"))
      .def("iterate",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](MessagePassing& s) { return s.iterate(watch); });
           },
           nb::arg("seconds"), "A sweep forward and one backward.")
      .def("evaluate",
           [](Solver& self, double seconds) {
             DeadlineWatch watch(seconds);
             return self.run([&](MessagePassing& s) { return s.evaluate(watch); });
           },
           nb::arg("seconds"), "h at the multipliers that the messages stand for.")
      .def("multipliers",
           [](Solver& self) {
             return copy_out<double>(self.run([](MessagePassing& s) { return s.multipliers(); }));
           },
           "They, over the slots of all terms.");
}

}  // namespace fwmap
