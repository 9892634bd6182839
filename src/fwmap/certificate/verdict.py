"""What a check found, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check; everything in it was recomputed from the model's costs.

    Attributes
    ----------
    holds
        The certificate says nothing that is not so: energy and bound are what it claims.
    proved
        It holds, and energy and bound meet: the labeling is optimal.
    energy, bound
        Recomputed; None where there is no labeling, or the certificate fails before.
    failures
        What is wrong, in words; empty where `holds`.
    rests_on
        The external program that optimality rests on where the bound alone does not prove it, else None.
    removed
        Number of labels whose removal was verified.
    """

    holds: bool
    proved: bool
    energy: float | None
    bound: float | None
    failures: list[str] = field(default_factory=list)
    rests_on: str | None = None
    removed: int = 0
    by_step: float | None = None

    def __bool__(self) -> bool:
        """True where the labeling is proved to be optimal."""
        return self.proved

    def __str__(self) -> str:
        """The verdict in a few lines."""
        lines = []
        if self.energy is not None:
            lines.append(f"energy         {self.energy!r}, that of the labeling")
        if self.bound is not None:
            lines.append(f"lower bound    {self.bound!r}, from the multipliers")
        if self.removed:
            lines.append(f"removals       {self.removed} labels, each by a bound above its cut-off")
        lines += [f"fails          {failure}" for failure in self.failures]
        lines.append(self.conclusion())
        return "\n".join(lines)

    def conclusion(self) -> str:
        """The last line."""
        if not self.holds:
            return "NOT PROVED: the certificate does not hold"
        if self.proved and self.by_step is not None:
            return f"PROVED: all energies are multiples of {self.by_step:g} apart, so none lies between"
        if self.proved:
            return "PROVED: energy and lower bound meet"
        if self.rests_on is not None:
            return f"NOT PROVED here: that the labeling is optimal rests on {self.rests_on}"
        return "NOT PROVED: the certificate holds, and leaves a gap"
