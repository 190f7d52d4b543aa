"""Generic Qt item models for panels: columns are data and rows have keys."""
