#include "oracles/product_table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/kernels.hpp"
#include "oracle.hpp"

namespace fwmap {

ProductTable::ProductTable(std::span<const double> table) : n_(static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(table.size()))))) {
  if (n_ * n_ != table.size()) throw std::invalid_argument("a table of products is not square");
  symmetric_ = true;
  mask_.resize(table.size());
  for (std::size_t a = 0; a < n_; ++a)
    for (std::size_t b = 0; b < n_; ++b) {
      const double entry = table[a * n_ + b], mirrored = table[b * n_ + a];
      symmetric_ = symmetric_ && entry == mirrored;
      if ((entry == kInfinity) != (mirrored == kInfinity))
        throw std::invalid_argument("a table of products forbids (a, b) and not (b, a)");
      mask_[a * n_ + b] = entry == kInfinity ? kInfinity : 0.0;
      if (entry == kInfinity) continue;
      whole_ = whole_ && entry == std::nearbyint(entry);
      lowest_ = std::min(lowest_, entry);
      highest_ = std::max(highest_, entry);
    }
  rows_ = reading_of(table, n_, false);
  if (!symmetric_) columns_ = reading_of(table, n_, true);
}

ProductTable::Reading ProductTable::reading_of(std::span<const double> table, std::size_t n, bool transposed) {
  Reading result;
  for (std::vector<double>* values : {&result.finite, &result.plus, &result.minus}) values->resize(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      const double entry = transposed ? table[b * n + a] : table[a * n + b];
      const bool forbidden = entry == kInfinity;
      result.finite[a * n + b] = forbidden ? 0.0 : entry;
      result.plus[a * n + b] = entry;
      result.minus[a * n + b] = forbidden ? -kInfinity : entry;
    }
  return result;
}

void ProductTable::message(double weight, double transposed, bool from_first, const double* x, double* out) const {
  // Weights of the table read from the sender's labels, and of the one read the other way.
  double with = from_first ? weight : transposed, against = from_first ? transposed : weight;
  if (symmetric_) {
    if (with == 0) std::swap(with, against);
  }
  const Kernels& k = kernels();
  if (with != 0) {
    const Reading& main = reading(false);
    const double* second = against == 0 ? nullptr : reading(true).finite.data();
    return k.min_plus_product(x, with, (with > 0 ? main.plus : main.minus).data(), against, second, n_, n_, out);
  }
  if (against != 0) {
    const Reading& main = reading(true);
    return k.min_plus_product(x, against, (against > 0 ? main.plus : main.minus).data(), 0, nullptr, n_, n_, out);
  }
  k.min_plus_columns(x, mask_.data(), n_, n_, out);
}

double ProductTable::negative_part(double weight, double transposed) const {
  const double least = std::min(weight * lowest_, weight * highest_) + std::min(transposed * lowest_, transposed * highest_);
  return std::max(0.0, -least * (1 + 4 * kUnitRoundoff));
}

double ProductTable::rounding(double weight, double transposed) const {
  const double size = (std::abs(weight) + std::abs(transposed)) * std::max(-lowest_, highest_);
  const bool exact = whole_ && weight == std::nearbyint(weight) && transposed == std::nearbyint(transposed) && size < 0x1p52;
  return exact ? 0.0 : 4 * kUnitRoundoff * size;
}

}  // namespace fwmap
