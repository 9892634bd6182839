#define FWMAP_VARIANT baseline
#include "kernels/kernels.inc"
