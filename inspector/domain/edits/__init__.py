"""Every operation that can change a constellation, as frozen values.

Owns the operations, their access class (which permission rule they fall under) and their JSON form.
Knows nothing of documents, rows or who may do what right now.
"""
