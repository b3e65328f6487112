-- The order that an idempotency key stands for, and the hash of what was asked.
SELECT k.request_hash, o.id, c.market_id AS market, o.contract_id AS contract, o.side, o.price_bp, o.quantity, o.state, o.created_at
FROM idempotency_keys k
JOIN orders o ON o.id = k.order_id
JOIN contracts c ON c.id = o.contract_id
WHERE k.key = $1
