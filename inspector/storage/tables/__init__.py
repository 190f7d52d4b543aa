"""The statements that create the file's tables, with the reasons for their columns and rows.

Times are texts as `domain.codec.write_time` gives them, so they sort as times do. JSON columns hold what
`domain.codec.to_plain` gives. Booleans are 0 or 1. An identity is three columns (``actor_kind``, ``actor_id``,
``actor_name``). There are no triggers and no views: everything that is derived (contents, the search index) is
written by the same transaction as its source.
"""
