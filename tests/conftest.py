"""Settings shared by all tests."""

from hypothesis import settings

# The same examples on every run and machine, however slow: a failure is then always a change of the code.
settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")
