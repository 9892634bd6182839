#include "kernels/kernels.hpp"

#include <atomic>
#include <cstring>

namespace fwmap {

extern const Kernels kernels_baseline;
#ifdef FWMAP_X86
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

namespace {

constexpr std::size_t kMostVariants = 4;

struct Available {
  const Kernels* list[kMostVariants] = {};
  std::size_t size = 0;

  Available() {
    list[size++] = &kernels_baseline;
#ifdef FWMAP_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) list[size++] = &kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
      list[size++] = &kernels_avx512;
#endif
  }
};

const Available& available() {
  static const Available result;
  return result;
}

std::atomic<const Kernels*>& chosen() {
  static std::atomic<const Kernels*> result = available().list[available().size - 1];
  return result;
}

}  // namespace

const Kernels& kernels() { return *chosen().load(std::memory_order_relaxed); }

const Kernels* const* available_kernels() { return available().list; }

bool use_kernels(const char* name) {
  for (std::size_t i = 0; i < available().size; ++i)
    if (std::strcmp(available().list[i]->name, name) == 0) {
      chosen().store(available().list[i], std::memory_order_relaxed);
      return true;
    }
  return false;
}

}  // namespace fwmap
