SELECT o.id, c.market_id AS market, o.contract_id AS contract, o.side, o.price_bp, o.quantity, o.state, o.created_at
FROM orders o
JOIN contracts c ON c.id = o.contract_id
WHERE o.id = $1
