"""Two tenants in one database, and the ways in which logins reach them."""
