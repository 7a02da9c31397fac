"""Payment of the demo shop."""

import json


def charge(gateway, order, card):
    payload = json.dumps({"order": order.id, "amount": order.total})
    # TODO: send an idempotency key, a retry after a time-out charges twice
    response = gateway.post("/charge", payload, card.token)
    if response.status != 200:
        raise RuntimeError("payment failed")
    return response.body
