"""Settings shared by all tests."""

import os
import signal

from hypothesis import HealthCheck, settings

# One thread for each worker, before torch starts: several get in each other's way, and add up in another order.
os.environ["OMP_NUM_THREADS"] = "1"

# The same examples on every run and machine, however slow: a failure is then always a change of the code.
settings.register_profile("reproducible", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("reproducible")

# A runner in the background ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
