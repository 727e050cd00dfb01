"""What a policy computes while it learns: actor, critic, their losses, and policies on disk."""
