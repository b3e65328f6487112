-- Cancels an order; again and again if need be. No row affected: no such order.
UPDATE orders SET state = 'cancelled' WHERE id = $1
