"""The kit's own theorems in their slow, exact form: the results ``[beyond] N`` of the ledger, and their proofs' steps.

Everything is exact for channels of ``Fraction`` (built with ``ratio=``) and whole or fractional numbers. A *blanket* of
a channel is a measure below every one of its rows; a user *leaves* it with the probability that it lacks, and then
sends what her row has in excess of it. A law of *scores* is a ``definitions.ScoreLaw``: [beyond] 1.
"""
