#pragma once
// Random numbers that are the same everywhere: the standard library's distributions are not.

#include <cstdint>
#include <utility>
#include <vector>

namespace fwmap {

/// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in 0 .. n - 1, up to a bias of n / 2^64.
  std::size_t below(std::size_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(next()) * n) >> 64);
  }

  template <class Items>
  void shuffle(Items&& items) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace fwmap
