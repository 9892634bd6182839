"""Your own problem: all that is needed is something that minimises.

A road must lead from the left edge of a map to the right one as cheaply as possible, while its tolls stay
within a budget. A cheapest road is easy to find. The best use of a budget is easy to find. Both at once is
hard, so each gets an oracle, they share the pixels of the map, and the solver makes them agree.

Run it as `python examples/03_your_own_oracle.py [FOLDER]`.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import fwmap

HEIGHT, WIDTH, BUDGET = 24, 36, 5


class Road(fwmap.Oracle):
    """The cheapest road: one pixel per column, going at most one row up or down from column to column."""

    def __init__(self, costs):
        super().__init__()
        self.costs = costs

    def minimize(self, weights):
        """Return the pixels of the cheapest road, `weights` included, and its own cost without them."""
        total = self.costs + np.reshape(weights, self.costs.shape)
        best, came_from = total[:, 0], []
        for column in range(1, WIDTH):
            padded = np.pad(best, 1, constant_values=np.inf)
            choices = np.stack([padded[:-2], padded[1:-1], padded[2:]])  # from above, straight on, from below
            came_from.append(np.argmin(choices, axis=0) - 1)
            best = np.min(choices, axis=0) + total[:, column]
        rows = [int(np.argmin(best))]
        for step in reversed(came_from):
            rows.append(rows[-1] + int(step[rows[-1]]))
        rows = np.array(rows[::-1])
        columns = np.arange(WIDTH)
        return rows * WIDTH + columns, float(self.costs[rows, columns].sum())

    def cost(self, indices):
        """Return the cost of a given choice of pixels, infinite where they are no road. Optional."""
        rows, columns = np.divmod(np.sort(np.asarray(indices)), WIDTH)
        order = np.argsort(columns)
        rows, columns = rows[order], columns[order]
        if not np.array_equal(columns, np.arange(WIDTH)) or np.any(np.abs(np.diff(rows)) > 1):
            return np.inf
        return float(self.costs[rows, columns].sum())


class Budget(fwmap.Oracle):
    """Any pixels, as long as their tolls stay within the budget: a knapsack."""

    def __init__(self, tolls):
        super().__init__()
        self.tolls = np.ravel(tolls)

    def minimize(self, weights):
        """Return the pixels that gain most within the budget; their own cost is nothing."""
        weights = np.asarray(weights)
        items = np.flatnonzero(weights < 0)  # nobody pays a toll for a loss
        free = items[self.tolls[items] == 0]
        items = items[self.tolls[items] > 0]
        best, taken = np.zeros(BUDGET + 1), []  # best[b]: least weight with tolls of at most b
        for item in items:
            toll = self.tolls[item]
            with_item = np.full(BUDGET + 1, np.inf)
            with_item[toll:] = best[: BUDGET + 1 - toll] + weights[item]
            taken.append(with_item < best)
            best = np.minimum(best, with_item)
        chosen, left = list(free), BUDGET
        for item, take in zip(items[::-1], taken[::-1], strict=True):
            if take[left]:
                chosen.append(item)
                left -= self.tolls[item]
        return np.sort(np.array(chosen, dtype=np.int64)), 0.0

    def cost(self, indices):
        """Return 0 within the budget and infinity beyond it. Optional."""
        return 0.0 if self.tolls[np.asarray(indices, dtype=np.int64)].sum() <= BUDGET else np.inf


folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
random = np.random.default_rng(3)

# The map: hills that are dear to cross, and tolls here and there in the valleys between them.
y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
hills = np.zeros((HEIGHT, WIDTH))
for _ in range(26):
    top_x, top_y = random.uniform(0, WIDTH), random.uniform(0, HEIGHT)
    hills += np.exp(-(((x - top_x) / 3.5) ** 2) - ((y - top_y) / 2.5) ** 2)
costs = 1 + 3 * hills + random.uniform(0, 0.3, size=hills.shape)
tolls = np.where((hills < 0.35) & (random.random(hills.shape) < 0.6), random.integers(1, 4, hills.shape), 0)

# One Boolean per pixel: 1 if the road goes there. Both oracles see all of them.
model = fwmap.Decomposition(HEIGHT * WIDTH)
road = Road(costs)
model.add(road, np.arange(HEIGHT * WIDTH))
model.add(Budget(tolls), np.arange(HEIGHT * WIDTH))

result = fwmap.solve(model, time_limit=5, gap=1e-3)

unrestricted, cheapest = road.minimize(np.zeros(HEIGHT * WIDTH))
print(f"without a budget: cost {cheapest:.3f}, tolls {tolls.ravel()[unrestricted].sum()} of {BUDGET}")
print(f"with the budget:  {result.status}, cost at least {result.bound:.3f}", end="")

figure = Figure(figsize=(7.5, 4.6), layout="constrained")
axes = figure.subplots()
axes.imshow(costs, cmap="Greys", vmax=1.3 * costs.max())
axes.scatter(*np.nonzero(tolls)[::-1], s=6 * tolls[tolls > 0], color="#CC79A7", label="toll")
axes.plot(unrestricted % WIDTH, unrestricted // WIDTH, color="#0072B2", ls="--", lw=2, label="cheapest road")
if result.labeling is not None:
    chosen = np.flatnonzero(result.labeling)
    chosen = chosen[np.argsort(chosen % WIDTH)]
    print(f", found {result.energy:.3f} with tolls {tolls.ravel()[chosen].sum()}")
    axes.plot(chosen % WIDTH, chosen // WIDTH, color="#D55E00", lw=2.5, label="road within the budget")
axes.set_axis_off()
axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, frameon=False)
figure.savefig(folder / "03_road.png", dpi=150)
