"""What stores of all frameworks share: connections, records, and what they do with a client. It loads no framework."""
