"""Search in the window: the query field, counts by sides, the list of hits, and the way to each of them."""
