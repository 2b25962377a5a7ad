"""Learning under the shuffle: the one room of the kit that needs torch."""

try:
    import torch  # noqa: F401
except ImportError as reason:
    raise ImportError(
        "shufflekit.learning needs torch, which is not installed: "
        "run `make` in a checkout, or `pip install torch==2.13.0` beside an installed shufflekit"
    ) from reason
