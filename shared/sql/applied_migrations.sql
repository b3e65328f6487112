-- What `migrate` has applied, with the checksum of each file as it was then.
SELECT version, checksum FROM _sqlx_migrations WHERE success ORDER BY version
