// Tests of the closed-form step.

#include <cmath>

#include "check.hpp"
#include "exact.hpp"
#include "step.hpp"

namespace {

using namespace fwmap;
using namespace fwmap::test;

double decrease(double gamma, double slope, double curvature) { return gamma * slope - 0.5 * gamma * gamma * curvature; }

void no_other_step_of_the_segment_decreases_more() {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const double slope = 2 * real(random), curvature = 1 + real(random);
    const Step step = exact_step(slope, curvature);
    CHECK(step.gamma >= 0 && step.gamma <= 1);
    CHECK(std::abs(step.decrease - decrease(step.gamma, slope, curvature)) <= 1e-15);
    for (int k = 0; k <= 100; ++k) CHECK(decrease(0.01 * k, slope, curvature) <= step.decrease + 1e-15);
  }
}

void a_rising_slope_gives_no_step() {
  for (const double slope : {0.0, -0.0, -1.0, -kInfinity, std::nan("")}) {
    CHECK(exact_step(slope, 1).gamma == 0 && exact_step(slope, 1).decrease == 0);
    CHECK(exact_step(slope, 0).gamma == 0);
  }
}

void without_curvature_the_whole_step_is_taken() {
  CHECK(exact_step(3, 0).gamma == 1 && exact_step(3, 0).decrease == 3);
  CHECK(exact_step(3, -1e-18).gamma == 1 && exact_step(3, -1e-18).decrease == 3);  // what rounding makes of 0
}

void the_minimiser_inside_and_at_the_end_of_the_segment_is_known() {
  CHECK(exact_step(1, 4).gamma == 0.25 && exact_step(1, 4).decrease == 0.125);
  CHECK(exact_step(4, 4).gamma == 1 && exact_step(4, 4).decrease == 2);
  CHECK(exact_step(6, 4).gamma == 1 && exact_step(6, 4).decrease == 4);
}

const Test kTests[] = {
    TEST(no_other_step_of_the_segment_decreases_more),
    TEST(a_rising_slope_gives_no_step),
    TEST(without_curvature_the_whole_step_is_taken),
    TEST(the_minimiser_inside_and_at_the_end_of_the_segment_is_known),
};

}  // namespace

int main() { return run_tests(kTests); }
