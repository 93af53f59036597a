"""Test on a server that is set up as Supabase sets up its servers."""
