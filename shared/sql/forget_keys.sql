-- Forgets idempotency keys that are older than so many seconds: a batch, so that
-- no transaction holds many rows; whoever else does it at this moment takes
-- others.
DELETE FROM idempotency_keys
WHERE key IN (
    SELECT key
    FROM idempotency_keys
    WHERE created_at < now() - make_interval(secs => $1)
    ORDER BY created_at
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
)
