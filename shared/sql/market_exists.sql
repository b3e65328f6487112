SELECT EXISTS (SELECT 1 FROM markets WHERE id = $1) AS "exists!"
