"""Training agents for Ursuppe, and measuring how well they play."""

import os

# Read by torch's threads when torch is first imported. By default they spin while they wait for each other, and with
# anything else running on the machine an update then takes several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
