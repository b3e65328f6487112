-- One row for each `Idempotency-Key` that a client sent with an order, written
-- in the order's own transaction: the key is taken if and only if the order is
-- there. The primary key is what makes two requests with one key take turns.

CREATE TABLE idempotency_keys (
    key          text        NOT NULL,
    -- SHA-256 of what was asked for, so that the same key with another order is
    -- told apart from a retry.
    request_hash bytea       NOT NULL,
    order_id     bigint      NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key),
    CONSTRAINT idempotency_keys_key_length CHECK (length(key) BETWEEN 1 AND 64),
    CONSTRAINT idempotency_keys_hash_length CHECK (octet_length(request_hash) = 32),
    CONSTRAINT idempotency_keys_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders (id)
);

-- Keys may be forgotten after a day or so; this finds the old ones.
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
