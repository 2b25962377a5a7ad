"""What is trained, and how: the plans of the papers' figures, small ones of their kind, and what their steps cost."""

from dataclasses import dataclass

from shufflekit import _validate
from shufflekit.learning import streams
from shufflekit.learning.randomizers import CLIPS, R1, R2, PrivUnit, Randomizer, RInf
from shufflekit.protocols import Shuffle
from shufflekit.protocols.run import Run

RANDOMIZERS = ("RInf", "R1", "R2", "PrivUnit")
SAMPLINGS = ("independent", "walk")


def _rates(rates: object) -> tuple[tuple[int, float], ...]:
    allowed = "rates must be one or more pairs (number of epochs, step size)"
    if not isinstance(rates, (tuple, list)) or not all(isinstance(pair, (tuple, list)) for pair in rates):
        raise TypeError(f"{allowed}, got {rates!r}")
    if not rates or any(len(pair) != 2 for pair in rates):
        raise ValueError(f"{allowed}, got {rates!r}")
    return tuple((_validate.count(epochs=epochs), _validate.positive(rate=rate)) for epochs, rate in rates)


@dataclass(frozen=True)
class Plan:
    """What is trained, and how.

    Each step ``k`` clients clip their gradients at ``radius`` and send them through an eps0-LDP ``randomizer``.
    ``rates`` are pairs (number of epochs, step size), one after the other; an epoch is as many steps as make n clients.
    ``sampling="independent"`` draws k of n clients without replacement anew each step, which is what Theorem 1 is
    about; ``"walk"`` deals all clients out once an epoch, as the authors' experiments do. With ``ball`` the parameters
    are projected to the l_2 ball of that radius after each step.
    """

    randomizer: str
    eps0: float
    radius: float
    k: int
    rates: tuple[tuple[int, float], ...]
    clip: str = "scale"
    sampling: str = "independent"
    ball: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        plain = {
            "randomizer": _validate.choice(RANDOMIZERS, randomizer=self.randomizer),
            "eps0": _validate.local_eps(eps0=self.eps0),
            "radius": _validate.positive(radius=self.radius),
            "k": _validate.count(k=self.k),
            "rates": _rates(self.rates),
            "clip": _validate.choice(CLIPS, clip=self.clip),
            "sampling": _validate.choice(SAMPLINGS, sampling=self.sampling),
            "ball": None if self.ball is None else _validate.positive(ball=self.ball),
            "seed": _validate.count(seed=self.seed, at_least=0, at_most=streams.MOST),
        }
        for name, value in plain.items():  # numbers of Python's own kinds, which files can hold
            object.__setattr__(self, name, value)
        if self.clip == "clamp" and self.randomizer != "RInf":
            raise ValueError(
                f"clip must be 'scale' unless RInf sends a single entry, got 'clamp' for {self.randomizer}"
            )

    @property
    def epochs(self) -> int:
        """How many epochs there are in all."""
        return sum(epochs for epochs, _ in self.rates)

    def rate(self, epoch: int) -> float:
        """The step size in an epoch, of which the first is 0."""
        for epochs, rate in self.rates:
            if epoch < epochs:
                return rate
            epoch -= epochs
        raise ValueError(f"epoch must be below {self.epochs}, got {epoch + self.epochs}")

    def make_randomizer(self, d: int) -> Randomizer:
        """The randomizer of gradients of d entries."""
        if self.randomizer == "RInf":
            return RInf(d, self.eps0, self.radius, self.clip)
        kinds: dict[str, type[R1 | R2 | PrivUnit]] = {"R1": R1, "R2": R2, "PrivUnit": PrivUnit}
        return kinds[self.randomizer](d, self.eps0, self.radius)


FIGURES = {
    "figure3": Plan("RInf", eps0=1.5, radius=0.01, k=10_000, rates=((70, 0.3), (130, 0.18)), clip="clamp"),
    "figure6": Plan("R2", eps0=2.0, radius=0.005, k=2_000, rates=((30, 12.0), (30, 4.0), (140, 3.5))),
}
# The same in small, for data.digits(): seconds in place of hours. So few clients learn only with hardly any privacy.
QUICK = {
    "figure3": Plan("RInf", eps0=3.0, radius=0.01, k=479, rates=((100, 0.1),), clip="clamp"),
    "figure6": Plan("R2", eps0=3.0, radius=0.05, k=479, rates=((20, 4.0), (40, 2.0))),
}


def spent(plan: Plan, n: int, steps: int) -> Run:
    """What the first steps of a plan for n clients are as a protocol, whose ``epsilon`` is what they cost.

    ``sampling="independent"``: as many rounds of k clients drawn from n, the setting of Theorem 1.

    ``"walk"``: one round of k clients, without sampling, for each epoch that was begun. Who reports when is decided
    without a look at the data. Fix it in any way: then a client's record matters to one step of an epoch only, where
    its report is shuffled with those of k - 1 others. The steps before do not see the record, and those after see only
    what came out. To draw the way at random costs no more than the costliest way, and all cost the same. None of this
    makes use of the sampling: Theorem 1 would, but it is about independent samples and does not cover a walk.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"plan must be a Plan, got {plan!r}")
    n, steps = _validate.count(n=n), _validate.count(steps=steps)
    if plan.sampling == "independent":
        return Shuffle(eps0=plan.eps0, n=plan.k, population=n) * steps
    if n % plan.k:
        raise ValueError(f"n must be a multiple of k = {plan.k:,}, so that epochs come out, got {n:,}")
    return Shuffle(eps0=plan.eps0, n=plan.k) * -(-steps * plan.k // n)
