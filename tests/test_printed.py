"""What is printed, over what is right."""

from shufflekit import claims
from shufflekit.papers import balle2020, printed


def test_all_are_claims_and_their_sides_differ():
    found = printed.more(1e-6)
    assert set(found) <= set(claims.load())
    ratios = {name: float(wrong / right) for name, (_, wrong, right) in found.items()}
    assert ratios["koskela2023:eq4.2"] < 1
    assert ratios["liew2022:thm5-closed-form"] < 1
    assert ratios["koskela2023:lemma-a2"] != 1
    assert ratios["balle2020:cor3.3"] > 10
    assert found["balle2020:cor3.3"][1] == balle2020.cor33(1.0, 10**5, 1000, 1e-9, 1e-6).eps
