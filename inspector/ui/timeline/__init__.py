"""The parts of the timeline panel: rows of events, the density strip, the chart of the context's size."""
