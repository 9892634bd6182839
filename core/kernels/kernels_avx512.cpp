#define FWMAP_VARIANT avx512
#define FWMAP_VECTOR_BYTES 64
#include "kernels/kernels.inc"
