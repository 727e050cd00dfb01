"""Commands of ``ursuppe`` that train and evaluate."""

from ursuppe_env.extras import require_extra

require_extra("train")
