-- All open orders of a market in one query: a row for each contract, its orders
-- as three arrays of the same length, or nulls if it has none. (A row for each
-- order costs more than the order, on either side of the wire.) A market without
-- contracts has one row with a null for the contract. No row at all: there is no
-- such market.
SELECT m.name AS market_name,
       c.id   AS contract_id,
       c.name AS contract_name,
       o.is_buy,
       o.price_bp,
       o.quantity
FROM markets m
LEFT JOIN contracts c ON c.market_id = m.id
LEFT JOIN LATERAL (
    SELECT array_agg(side = 'buy') AS is_buy,
           array_agg(price_bp)     AS price_bp,
           array_agg(quantity)     AS quantity
    FROM orders
    WHERE contract_id = c.id AND state = 'open'
) o ON true
WHERE m.id = $1
ORDER BY c.id
