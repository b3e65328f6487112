-- All open orders of a market in one query, a row for each. A contract without
-- any has one row with nulls for the order, a market without contracts one with
-- nulls for both. No row at all: there is no such market.
SELECT m.name AS market_name,
       c.id   AS contract_id,
       c.name AS contract_name,
       o.side = 'buy' AS is_buy,
       o.price_bp,
       o.quantity
FROM markets m
LEFT JOIN contracts c ON c.market_id = m.id
LEFT JOIN orders o ON o.contract_id = c.id AND o.state = 'open'
WHERE m.id = $1
ORDER BY c.id
