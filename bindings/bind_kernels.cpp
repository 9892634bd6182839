#include "bindings.hpp"
#include "kernels/kernels.hpp"

namespace fwmap {

void bind_kernels(nb::module_& module) {
  module.def(
      "available_kernels",
      [] {
        std::vector<std::string> names;
        for (auto list = available_kernels(); *list != nullptr; ++list) names.emplace_back((*list)->name);
        return names;
      },
      "Names of the kernel variants this processor runs, narrowest vectors first.");
  module.def("kernels_in_use", [] { return std::string(kernels().name); }, "Name of the variant in use.");
  module.def(
      "use_kernels", [](const std::string& name) { return use_kernels(name.c_str()); }, nb::arg("name"),
      "Forces a variant, for tests; False where it is not available.");
}

}  // namespace fwmap
