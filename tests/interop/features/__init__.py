"""Tables with each feature of the protocol, as the steps by which delta-spark makes them."""
