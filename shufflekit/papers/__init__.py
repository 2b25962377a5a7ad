"""Every printed formula, as printed and, where it is wrong, as corrected: one module a paper.

Inside these modules the papers' own symbols are used: ``n`` clients in all, ``k`` of them sampled each
round (``gamma = k/n``), ``T`` rounds, ``order`` for the Renyi order lambda, ``E = exp(eps0)``. What goes past the
papers is in ``shufflekit.beyond``.
"""
