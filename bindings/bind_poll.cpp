#include "bindings.hpp"
#include "poll.hpp"
#include "running.hpp"

namespace fwmap {
namespace {

/// A deadline as a context: long steps of this thread end at it. Contexts may be nested.
struct Deadline {
  double seconds;
  std::unique_ptr<DeadlineWatch> watch;
  Watch* before = nullptr;
};

}  // namespace

void bind_poll(nb::module_& module) {
  nb::exception<OutOfTime>(module, "OutOfTime");
  nb::class_<Deadline>(module, "Deadline", "Within it, long steps of this thread raise OutOfTime after so many seconds.")
      .def("__init__", [](Deadline* self, double seconds) { new (self) Deadline{seconds, nullptr}; }, nb::arg("seconds"))
      .def("__enter__",
           [](Deadline& self) {
             if (self.watch) throw std::runtime_error("this deadline has been entered already");
             self.watch = std::make_unique<DeadlineWatch>(self.seconds);
             self.before = polled(self.watch.get());
           })
      .def("__exit__",
           [](Deadline& self, nb::handle, nb::handle, nb::handle) {
             polled(self.before);
             self.watch.reset();
           },
           nb::arg("kind").none(), nb::arg("error").none(), nb::arg("where").none());
}

}  // namespace fwmap
