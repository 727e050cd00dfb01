"""Commands of ``ursuppe`` that train and evaluate.

torch takes seconds to import: only the functions that need it do, so that `ursuppe --help` stays fast.
"""

from ursuppe_env.extras import require_extra

require_extra("train")
