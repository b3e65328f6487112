-- Seed data: 100 events of 10 markets of 3 contracts, 40 open orders on each
-- contract: 1,000 markets and 120,000 orders. The same rows every time, with
-- ids of their own; run again it changes nothing.
--
-- Set-based, one statement a table: loading row by row would take minutes.

INSERT INTO events (id, name, starts_at)
SELECT e,
       (ARRAY['Cup final', 'General election', 'Grand Prix', 'Derby', 'Championship bout'])[1 + e % 5] || ' ' || e,
       timestamptz '2027-01-01 18:00:00+00' + e * interval '1 day'
FROM generate_series(1, 100) AS e
ON CONFLICT (id) DO NOTHING;

INSERT INTO markets (id, event_id, name)
SELECT m,
       1 + (m - 1) / 10,
       (ARRAY['Winner', 'Margin', 'Leader at half-time', 'Total', 'First to lead',
              'Runner-up', 'Duration', 'Attendance', 'Record broken', 'Decided late'])[1 + (m - 1) % 10]
FROM generate_series(1, 1000) AS m
ON CONFLICT (id) DO NOTHING;

INSERT INTO contracts (id, market_id, name)
SELECT c,
       1 + (c - 1) / 3,
       (ARRAY['Home', 'Draw', 'Away'])[1 + (c - 1) % 3]
FROM generate_series(1, 3000) AS c
ON CONFLICT (id) DO NOTHING;

-- Each contract has a middle price of its own; 20 buys lie below it and 20
-- sells above, on 10 price levels a side, two orders a level.
INSERT INTO orders (id, contract_id, side, price_bp, quantity, state, created_at)
SELECT (c - 1) * 40 + n,
       c,
       CASE WHEN n <= 20 THEN 'buy' ELSE 'sell' END,
       1000 + (c * 37) % 8000
           + CASE WHEN n <= 20 THEN -25 * (1 + n % 10) ELSE 25 * (1 + n % 10) END,
       1 + (c * 31 + n * 17) % 500,
       'open',
       timestamptz '2026-01-01 00:00:00+00' + ((c - 1) * 40 + n) * interval '1 second'
FROM generate_series(1, 3000) AS c, generate_series(1, 40) AS n
ON CONFLICT (id) DO NOTHING;

-- The identities go on behind the seeded rows, never back.
SELECT setval(pg_get_serial_sequence('events', 'id'), (SELECT max(id) FROM events)),
       setval(pg_get_serial_sequence('markets', 'id'), (SELECT max(id) FROM markets)),
       setval(pg_get_serial_sequence('contracts', 'id'), (SELECT max(id) FROM contracts)),
       setval(pg_get_serial_sequence('orders', 'id'), (SELECT max(id) FROM orders));
