def test_x(db):
    print(db.execute("select braid.version(), session_user, current_database()").fetchone())
def test_y(db):
    print(db.execute("select count(*) from braid_store.tenants").fetchone())
