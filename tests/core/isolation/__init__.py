"""Two tenants share one database, and logins reach them in several ways."""
