"""What the generator cannot know of the seed data."""

import schemathesis

MARKETS = 1000
CONTRACTS_EACH = 3  # market 1 has the contracts 1 to 3, market 2 has 4 to 6, and so on


@schemathesis.hook.apply_to(name="POST /markets/{id}/orders")
def map_case(context, case):
    """Brings two of three orders to a contract of their market: by chance, next to none would hit one."""
    market, body = (case.path_parameters or {}).get("id"), case.body
    if is_number(market) and isinstance(body, dict) and is_number(body.get("contract")) and market % 3:
        market = market % MARKETS + 1
        case.path_parameters["id"] = market
        body["contract"] = (market - 1) * CONTRACTS_EACH + body["contract"] % CONTRACTS_EACH + 1
    return case


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
