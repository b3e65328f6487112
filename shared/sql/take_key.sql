-- Takes an idempotency key for an order. Waits while another transaction holds
-- the same key; no row affected: somebody has it already.
INSERT INTO idempotency_keys (key, request_hash, order_id)
VALUES ($1, $2, $3)
ON CONFLICT (key) DO NOTHING
