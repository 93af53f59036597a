select braid_store.extend_installation();
