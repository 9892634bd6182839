#pragma once
// What the binding files share: array types and how arrays cross the border.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace nb = nanobind;

namespace fwmap {

void bind_bundle(nb::module_& module);
void bind_kernels(nb::module_& module);
void bind_forest_cover(nb::module_& module);
void bind_decomposition(nb::module_& module);
void bind_frank_wolfe(nb::module_& module);
void bind_rounding(nb::module_& module);
void bind_poll(nb::module_& module);
void bind_ray_search(nb::module_& module);
void bind_message_passing(nb::module_& module);
void bind_subgradient(nb::module_& module);
void bind_tightening(nb::module_& module);

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Array<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::vector<T> as_vector(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

/// A NumPy array that owns a copy of `values`.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> copy_out(std::span<const T> values) {
  auto* data = new std::vector<T>(values.begin(), values.end());
  nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data->data(), {data->size()}, owner);
}

/// Keeps Python objects alive from C++; releases them with the interpreter's lock held.
inline std::shared_ptr<const void> hold(nb::object object) {
  return std::shared_ptr<const void>(new nb::object(std::move(object)), [](const void* p) {
    nb::gil_scoped_acquire gil;
    delete static_cast<const nb::object*>(p);
  });
}

}  // namespace fwmap
