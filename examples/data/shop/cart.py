"""Shopping cart of the demo shop."""


class Cart:
    def __init__(self):
        self.items = []

    def add(self, sku, quantity, price):
        # TODO: reject negative quantities, they currently lower the total
        self.items.append((sku, quantity, price))

    def total(self):
        amount = 0
        for _sku, quantity, price in self.items:
            amount += quantity * price
        # FIXME: amounts are floats, so cents are lost on large carts
        return round(amount, 2)
