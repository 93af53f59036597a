select braid_store.write_extension_points();
