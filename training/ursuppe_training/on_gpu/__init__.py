"""Games on a GPU, beside the networks (docs/gpu.md): what differs there from games on the processor."""
