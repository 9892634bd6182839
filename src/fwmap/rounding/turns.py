"""Whose turn it is among several searches: those that helped last come more often."""

from __future__ import annotations

#: The weight of a search that did not help, as a part of the weight before; and the least one.
BACK_OFF, LEAST = 0.7, 0.1


class Turns:
    """Weighted round robin among so many.

    >>> turns = Turns(2)
    >>> first, second = turns.next(), turns.next()
    >>> for _ in range(9):
    ...     turns.tell(0, helped=False)
    >>> first, second, [turns.next() for _ in range(11)].count(0)
    (0, 1, 1)
    """

    def __init__(self, n: int) -> None:
        self.weights, self.credit = [1.0] * n, [0.0] * n

    def next(self) -> int:
        """Who has waited longest, by weight; the first among equals."""
        self.credit = [credit + weight for credit, weight in zip(self.credit, self.weights, strict=True)]
        chosen = self.credit.index(max(self.credit))
        self.credit[chosen] -= sum(self.weights)
        return chosen

    def tell(self, who: int, helped: bool) -> None:
        """Whether the last turn helped."""
        self.weights[who] = 1.0 if helped else max(BACK_OFF * self.weights[who], LEAST)
