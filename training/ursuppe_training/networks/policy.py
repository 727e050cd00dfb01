"""What all policies have in common that learn, whatever their network sees."""

from collections.abc import Mapping
from typing import Any, Protocol

from ursuppe_agents.policies import weights


class Policy(Protocol):
    """A network in torch that plays."""

    def weights(self) -> weights.Weights | weights.BoardWeights:
        """A copy of the weights as they are now, as agents play by them."""

    def state_dict(self) -> dict[str, Any]:
        """The weights as torch has them."""

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> Any:
        """Replace them."""
