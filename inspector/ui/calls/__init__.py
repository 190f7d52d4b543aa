"""Parts of the panels about model calls: what is put together to send, and the reply as it comes."""
