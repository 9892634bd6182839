#define FWMAP_VARIANT avx2
#define FWMAP_VECTOR_BYTES 32
#include "kernels/kernels.inc"
