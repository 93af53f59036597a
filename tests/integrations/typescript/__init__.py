"""The TypeScript types of the API, and the Edge Function that is written with them."""
