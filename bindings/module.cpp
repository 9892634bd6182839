// The compiled module: one function per topic, nothing else.

#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of fwmap. Use it through the package: nothing here is a public interface.";
  fwmap::bind_poll(module);
  fwmap::bind_kernels(module);
  fwmap::bind_forest_cover(module);
  fwmap::bind_decomposition(module);
  fwmap::bind_frank_wolfe(module);
  fwmap::bind_rounding(module);
  fwmap::bind_ray_search(module);
  fwmap::bind_message_passing(module);
  fwmap::bind_subgradient(module);
  fwmap::bind_bundle(module);
  fwmap::bind_tightening(module);
}
