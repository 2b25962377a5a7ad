"""``python -m shufflekit``, which is what the command ``shufflekit`` runs: Ctrl-C ends it in words, early or late."""

import sys


def main() -> int:
    """The command line; its exit code is 130 if Ctrl-C ended it."""
    try:
        from shufflekit import cli  # here, because most of the time goes into it

        return cli.main()
    except KeyboardInterrupt:
        print("shufflekit: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
