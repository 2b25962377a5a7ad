"""Schematics: what a reader sees before the first formula of a notebook."""

from shufflekit.pictures.clients import check_ins, chosen, hexagon, made_room, shuffle_model, three_windows
from shufflekit.pictures.laws import forgetting, neighbours, one_sign
from shufflekit.pictures.pairs import clone_coin, convolution, leavers, tilting, two_rounds
from shufflekit.pictures.proofs import (
    counting_ones,
    one_round_of_training,
    proof_of_theorem_1,
    roads_to_epsilon,
    three_views,
)
from shufflekit.pictures.rounds import distributed_check_in, sampled_slots, shuffled_check_in, three_protocols
from shufflekit.pictures.worlds import chord, in_or_out, noisy_numbers, two_adversaries

__all__ = [
    "check_ins",
    "chord",
    "chosen",
    "clone_coin",
    "convolution",
    "counting_ones",
    "distributed_check_in",
    "forgetting",
    "hexagon",
    "in_or_out",
    "leavers",
    "made_room",
    "neighbours",
    "noisy_numbers",
    "one_round_of_training",
    "one_sign",
    "proof_of_theorem_1",
    "roads_to_epsilon",
    "sampled_slots",
    "shuffle_model",
    "shuffled_check_in",
    "three_protocols",
    "three_views",
    "three_windows",
    "tilting",
    "two_adversaries",
    "two_rounds",
]
