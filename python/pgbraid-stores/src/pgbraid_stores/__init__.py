"""Provide the code that the stores of all frameworks share: connections, records, and operations on a client. This
package imports no framework."""
