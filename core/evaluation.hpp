#pragma once
// What a solver tells of its work, and how it is told to stop.

#include <cstddef>

#include "oracle.hpp"

namespace fwmap {

/// Asked before each oracle call whether to stop now. May throw.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual bool stop() = 0;
};

/// What a pass over the terms did.
struct Pass {
  bool complete = true;     ///< false: the watch stopped it
  bool infeasible = false;  ///< some term has no feasible x; `term` says which
  std::size_t term = 0;
  double estimate = 0;      ///< of h: the terms' minima as they were met, each at its own moment's lambda
  double decrease = 0;      ///< of f_{mu,c}
  double work = 0;          ///< operations
};

/// h at one lambda.
struct Evaluation : Pass {
  double bound = -kInfinity;  ///< certified lower bound of the energy (docs/theory.md)
  double value = -kInfinity;  ///< h(lambda) as computed, without allowances
  double A = 0;               ///< eq. 8 for the current y and this lambda
  double A_best = 0;          ///< eq. 8 for the current y and the lambda of the best bound so far
  double B = 0;               ///< eq. 8
  double spread = 0;          ///< c |y - mean|^2, the proximal term's share: |lambda - mu|^2 / c
  double slope = 0;           ///< <lambda - mu, minimisers>: how h goes on beyond lambda, seen from the centre
};

}  // namespace fwmap
