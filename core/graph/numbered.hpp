#pragma once
// Arrays indexed by the signed numbers that nodes, edges and forests have.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fwmap {

/// A std::vector whose index is a std::int32_t, so that graph code is free of casts. Indices are not checked.
template <class T>
class Numbered {
 public:
  Numbered() = default;
  explicit Numbered(std::int32_t size, const T& value = T())
      : items_(static_cast<std::size_t>(size), value) {}

  T& operator[](std::int32_t i) { return items_[static_cast<std::size_t>(i)]; }
  const T& operator[](std::int32_t i) const { return items_[static_cast<std::size_t>(i)]; }

  std::int32_t size() const { return static_cast<std::int32_t>(items_.size()); }
  void reserve(std::int32_t size) { items_.reserve(static_cast<std::size_t>(size)); }
  void push_back(T item) { items_.push_back(std::move(item)); }
  void fill(const T& value) { items_.assign(items_.size(), value); }

  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace fwmap
