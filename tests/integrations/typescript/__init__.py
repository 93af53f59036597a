"""Test the TypeScript types of the API, and the Edge Function that uses them."""
