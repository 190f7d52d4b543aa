"""The candidates of each section of the system string.

Each turns values of the snapshot into parts and says what had to be changed in them. None knows the budget.
"""
