"""The workers of pytest-xdist share the cores."""

import torch

torch.set_num_threads(1)
