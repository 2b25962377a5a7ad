"""Learning under the shuffle: the one room of the kit that needs torch."""

try:
    import torch  # noqa: F401
    import tqdm  # noqa: F401
except ImportError as reason:
    raise ImportError(
        "shufflekit.learning needs torch and tqdm, which are not both installed: "
        "run `make` in a checkout, or `pip install torch==2.13.0 tqdm` beside an installed shufflekit"
    ) from reason
