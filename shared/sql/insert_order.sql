-- Takes an order, if the contract is one of that market. No row: it is not.
INSERT INTO orders (contract_id, side, price_bp, quantity)
SELECT c.id, $3, $4, $5
FROM contracts c
WHERE c.market_id = $1 AND c.id = $2
RETURNING id, created_at
