"""Speed and memory figures, as ratios in one run. BLAS is held to one thread, as the command line does."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
