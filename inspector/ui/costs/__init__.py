"""The parts of the budget and problems panels: the table of costs, what to cut next, what is left out."""
