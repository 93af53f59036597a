"""A server set up as Supabase sets up its own."""
