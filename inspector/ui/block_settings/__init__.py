"""The settings of a block: its label, place, rights and limit, and its schema."""
