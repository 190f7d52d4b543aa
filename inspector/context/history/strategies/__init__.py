"""One module a strategy, each with one function `choose` of the protocol `Choosing`; none knows another."""
