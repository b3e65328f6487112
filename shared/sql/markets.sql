-- A page of markets in the order of their ids, after the one given (keyset
-- paging: the cost does not grow with the page's number).
SELECT m.id, e.name AS event, m.name
FROM markets m
JOIN events e ON e.id = m.event_id
WHERE m.id > $1
ORDER BY m.id
LIMIT $2
