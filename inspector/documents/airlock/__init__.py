"""The airlock parses documents from elsewhere in a process of its own, which may die of it.

A Loro blob with a right checksum can ask for more memory than there is, or nest so deep that the stack ends;
either kills the process that reads it, and nothing in it can be caught. So whatever this process did not write
itself is read by a sacrificial worker first (`gate.Airlock`). Only what it survived, within the limits in
`wire`, is read here. `worker` is the other process's side and starts with almost nothing imported.
"""
