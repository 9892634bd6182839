#define FWMAP_VARIANT avx2
#include "kernels/kernels.inc"
