"""What the core computes step by step, against the paper's definitions written down in NumPy."""

import math

import numpy as np
import pytest
from zoo import look_inside, random_model

INF = math.inf
CONSTANT = 1.5
GRAPHS = ["grid", "complete", "cycle"]


def models():
    """Every node has an edge: the shared coordinates of each term come first, slots are coordinates."""
    for seed in range(9):
        rng = np.random.default_rng(seed)
        kinds = ("table", "potts", "linear", "quadratic")
        yield random_model(
            rng,
            GRAPHS[seed % 3],
            7,
            4,
            kinds=kinds,
            factors=seed % 4,
            constant=CONSTANT,
            forbidden=0.05 * (seed % 2),
        )


def run(inside, passes, watch=lambda: None):
    """Passes of both kinds, evaluations and moves of the centre, in a fixed mixture."""
    solver = inside.solver
    for k in range(passes):
        solver.exact_pass(INF)
        watch()
        for _ in range(k % 3):
            solver.approximate_pass(INF)
            watch()
        if k % 4 == 3:
            solver.evaluate(INF)
            solver.move_center(to_best=k % 8 == 3, momentum=0.4 if k % 8 == 3 else 0.0)
            watch()


@pytest.fixture(params=[0, 8], ids=["single steps", "pairwise steps"])
def insides(request):
    result = []
    for model in models():
        inside = look_inside(model, pairwise_steps=request.param, cache=3)
        if inside.core.n_slots:
            run(inside, 9)
            result.append(inside)
    assert len(result) >= 6
    return result


def objective(inside, y, costs, mu, c):
    """f_{mu,c}(y): sum <y, [lambda 1]> - |lambda - mu|^2 / 2c at its maximiser lambda in Lambda."""
    lam = multipliers(inside, y, mu, c)
    return lam @ y + np.sum(costs) - np.sum((lam - mu) ** 2) / (2 * c)


def multipliers(inside, y, mu, c):
    """Prop. 2: c y^t + mu^t - nu, where nu is the mean of c y + mu over the copies of a variable."""
    nu = inside.mean(c * y + mu)
    return c * y + mu - np.concatenate([nu[variables] for variables in inside.shared])


def test_lambda_is_that_of_proposition_2(insides):
    for inside in insides:
        solver = inside.solver
        solver.evaluate(INF)
        expected = multipliers(inside, solver.y, solver.center, solver.proximal_weight)
        np.testing.assert_allclose(solver.evaluated_lambda, expected, rtol=1e-10, atol=1e-12)


def test_copies_of_lambda_and_of_the_centre_add_up_to_nothing(insides):
    for inside in insides:
        inside.solver.evaluate(INF)
        for values in (inside.solver.evaluated_lambda, inside.solver.best_lambda, inside.solver.center):
            np.testing.assert_allclose(inside.mean(values), 0, atol=1e-12 * max(1, np.abs(values).max()))


def test_the_objective_is_the_proximal_dual_s(insides):
    for inside in insides:
        s = inside.solver
        expected = objective(inside, s.y, s.y_costs, s.center, s.proximal_weight)
        assert s.objective == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_its_maximiser_cannot_be_bettered_within_lambda(insides):
    rng = np.random.default_rng(0)
    for inside in insides:
        s, c = inside.solver, inside.solver.proximal_weight
        lam = multipliers(inside, s.y, s.center, c)
        for size in (1e-3, 1e-1, 10.0):
            step = rng.normal(size=len(lam)) * size
            step -= np.concatenate([inside.mean(step)[variables] for variables in inside.shared])
            other = (lam + step) @ s.y + s.y_costs.sum() - np.sum((lam + step - s.center) ** 2) / (2 * c)
            assert other < s.objective


def test_the_gradient_of_the_objective_is_lambda(insides):
    for inside in insides:
        s, c = inside.solver, inside.solver.proximal_weight
        s.evaluate(INF)
        lam, y, h = s.evaluated_lambda, s.y, 1e-4
        for k in range(0, len(y), max(1, len(y) // 10)):
            e = np.zeros(len(y))
            e[k] = h
            f = [objective(inside, y + sign * e, s.y_costs, s.center, c) for sign in (1, -1)]
            assert (f[0] - f[1]) / (2 * h) == pytest.approx(lam[k], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("pairwise_steps", [0, 1, 8])
def test_each_pass_lowers_the_objective_by_what_it_says(pairwise_steps):
    for model in models():
        inside = look_inside(model, pairwise_steps=pairwise_steps)
        s = inside.solver
        for k in range(12):
            before = objective(inside, s.y, s.y_costs, s.center, s.proximal_weight)
            result = s.exact_pass(INF) if k % 3 == 0 else s.approximate_pass(INF)
            after = objective(inside, s.y, s.y_costs, s.center, s.proximal_weight)
            assert result.decrease >= 0
            assert before - after == pytest.approx(result.decrease, rel=1e-8, abs=1e-10)
            assert s.objective == pytest.approx(after, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("weight", [0.02, 0.2, 5.0])
def test_the_single_step_is_the_minimum_on_its_segment(weight):
    steps = np.concatenate(
        [check_exact_step(look_inside(model, weight=weight), seed) for seed, model in two_terms()]
    )
    if weight < 0.1:
        assert (steps == 1).sum() > 2  # up to the plane itself
    else:
        assert ((steps > 1e-3) & (steps < 1)).sum() > 2


def two_terms():
    """Cycles: two forests, so that a pass is two steps."""
    for seed in range(8):
        yield seed, random_model(np.random.default_rng(100 + seed), "cycle", 6, 4, same_labels=True)


def check_exact_step(inside, seed):
    """With one of the two orders of the blocks both steps are line minima. Returns all steps."""
    s, c = inside.solver, inside.solver.proximal_weight
    rng = np.random.default_rng(seed)
    for _ in range(
        4
    ):  # several planes, y in the middle of their hull, and a centre for which it is not optimal
        s.set_center(0.5 * rng.normal(size=len(s.y)))
        s.exact_pass(INF)
    s.set_center(0.5 * rng.normal(size=len(s.y)))
    y, costs, mu = s.y, s.y_costs, s.center
    s.approximate_pass(INF)
    final = s.objective

    def best_step(y, costs, t):
        lam = inside.split(multipliers(inside, y, mu, c))[t]
        planes = [(support, cost) for support, cost, _ in s.planes(t)]
        support, cost = min(planes, key=lambda p: p[1] + lam[p[0][p[0] < len(lam)]].sum())
        z, z_cost = y.copy(), costs.copy()
        block = inside.split(z)[t]
        block[:] = 0
        block[support[support < len(block)]] = 1
        z_cost[t] = cost
        f0, f1, f2 = (
            objective(inside, y + g * (z - y), costs + g * (z_cost - costs), mu, c) for g in (0, 0.5, 1)
        )
        bend, slope = 2 * (f0 - 2 * f1 + f2), -3 * f0 + 4 * f1 - f2  # of the parabola through three points
        if bend < 1e-13 * abs(f0):  # straight up to rounding: z is y, or both are equally good
            g = 1.0 if slope < -1e-12 * abs(f0) else 0.0
        else:
            g = min(1.0, max(0.0, -slope / (2 * bend)))
        steps.append(g)
        return y + g * (z - y), costs + g * (z_cost - costs)

    outcomes, steps = [], []
    for order in ((0, 1), (1, 0)):
        point = y, costs
        for t in order:
            point = best_step(*point, t)
        outcomes.append(objective(inside, *point, mu, c))
    assert min(abs(final - outcome) for outcome in outcomes) < 1e-9 * max(1, abs(final))
    return steps


def test_pairwise_steps_lower_the_objective_at_least_as_far_as_one_step_alone():
    """With one term free to move, many steps within the hull cannot do worse than the first of them."""
    for model in models():
        one, many = (look_inside(model, pairwise_steps=n, weight=0.4) for n in (1, 50))
        for inside in (one, many):
            inside.solver.exact_pass(INF)
        # the passes agree until the first block is left; from there on only "lower or equal" is promised
        last = many.solver.objective
        for _ in range(30):
            many.solver.approximate_pass(INF)
            assert many.solver.objective <= last + 1e-12
            last = many.solver.objective
        for _ in range(200):
            one.solver.approximate_pass(INF)
        assert last <= one.solver.objective + 1e-3


def test_y_is_the_combination_of_the_planes_with_their_weights():
    for model in models():
        inside = look_inside(model, pairwise_steps=4, cache=1000)  # nothing is evicted into the aggregate
        run(inside, 8)
        s = inside.solver
        for t, y in enumerate(inside.split(s.y)):
            planes = s.planes(t)
            weights = np.array([weight for _, _, weight in planes])
            assert (weights >= 0).all()
            assert weights.sum() == pytest.approx(1, abs=1e-12)
            combined = np.zeros(len(y))
            for support, _, weight in planes:
                combined[support[support < len(y)]] += weight
            np.testing.assert_allclose(y, combined, atol=1e-12)
            cost = sum(cost * weight for _, cost, weight in planes)
            assert s.y_costs[t] == pytest.approx(cost, rel=1e-10, abs=1e-10)


def test_what_the_cached_planes_lack_of_y_is_in_the_aggregate():
    """After evictions the weights of the planes add up to less than 1, and y is still a point of the hull."""
    lacking = 0
    for seed in range(12):
        inside = look_inside(random_model(np.random.default_rng(seed), "complete", 7, 4), cache=1)
        run(inside, 30)
        s = inside.solver
        for t, y in enumerate(inside.split(s.y)):
            combined, total = np.zeros(len(y)), 0.0
            for support, _, weight in s.planes(t):
                combined[support[support < len(y)]] += weight
                total += weight
            lacking += total < 1 - 1e-6
            assert total <= 1 + 1e-12
            assert (y - combined >= -1e-12).all()
            # each labeling has one label per node, so each plane has as many shared ones: so has the rest
            sizes = {int(np.count_nonzero(support < len(y))) for support, _, _ in s.planes(t)}
            assert len(sizes) == 1
            assert (y - combined).sum() == pytest.approx((1 - total) * sizes.pop(), abs=1e-10)
    assert lacking > 0


def test_planes_cost_what_their_term_says(insides):
    for inside in insides:
        for t in range(inside.core.n_terms):
            for support, cost, _ in inside.solver.planes(t):
                assert inside.core.cost(t, support) == pytest.approx(cost, rel=1e-12, abs=1e-12)


def test_h_is_the_sum_of_the_minima_of_the_terms(insides):
    for inside in insides:
        point = inside.solver.evaluate(INF)
        lam = inside.split(inside.solver.evaluated_lambda)
        values = []
        for t in range(inside.core.n_terms):
            support, cost, value, _ = inside.core.minimize(t, lam[t])
            values.append(value)
            assert inside.solver.minimizer(t).tolist() == support.tolist()
            assert inside.solver.minimizer_cost(t) == cost
        assert point.value == pytest.approx(sum(values) + CONSTANT, rel=1e-12)
        assert point.bound <= point.value
        assert point.value - point.bound < 1e-10 * (1 + np.abs(values).sum())


def test_a_and_b_are_those_of_equation_8(insides):
    for inside in insides:
        s = inside.solver
        point = s.evaluate(INF)
        # the evaluation may have lowered the cost of y by a cheaper plane: A is for y as it is afterwards
        value = s.evaluated_lambda @ s.y + s.y_costs.sum() + CONSTANT - point.value
        assert point.A == pytest.approx(value, rel=1e-9, abs=1e-10)
        assert point.A >= -1e-10
        highest, lowest = np.full(inside.core.n_variables, -INF), np.full(inside.core.n_variables, INF)
        for variables, y in zip(inside.shared, inside.split(s.y), strict=True):
            highest[variables] = np.maximum(highest[variables], y)
            lowest[variables] = np.minimum(lowest[variables], y)
        shared = np.isfinite(highest)
        assert point.B == pytest.approx(np.sum(highest[shared] - lowest[shared]), abs=1e-12)
        difference = s.y - np.concatenate([inside.mean(s.y)[variables] for variables in inside.shared])
        assert point.spread == pytest.approx(s.proximal_weight * np.sum(difference**2), rel=1e-9, abs=1e-12)


def test_marginals_are_the_means_of_y(insides):
    for inside in insides:
        found, mean = inside.solver.marginals(), inside.mean(inside.solver.y)
        shared = inside.copies() > 0
        np.testing.assert_allclose(found[shared], mean[shared], atol=1e-12)


def test_the_centre_moves_to_the_evaluated_point_with_momentum():
    inside = look_inside(next(models()))
    s = inside.solver
    s.exact_pass(INF)
    s.evaluate(INF)
    first = s.evaluated_lambda
    s.move_center(to_best=False)
    np.testing.assert_allclose(s.center, first, atol=1e-12)
    s.exact_pass(INF)
    s.evaluate(INF)
    second = s.evaluated_lambda
    y = s.y
    s.move_center(to_best=False, momentum=0.7)
    np.testing.assert_allclose(s.center, second + 0.7 * (second - first), atol=1e-12)
    np.testing.assert_allclose(s.y, y, atol=1e-12)
