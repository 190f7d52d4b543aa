"""What each section of the system string may hold: one module a section, or a few that are alike.

Each turns values of the snapshot into parts and says what had to be changed in them. None knows the budget.
"""
