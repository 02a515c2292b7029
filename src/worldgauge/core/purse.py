"""The purse: a call reserves its highest price before it starts and settles afterwards."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from worldgauge.core.asking import OutOfMoney, Spending


@dataclass(frozen=True)
class Reservation:
    """What one call may cost at most."""

    price: float


class Purse:
    """Shared by all threads. Spent, possibly spent and reserved together never exceed the limit."""

    def __init__(self, spending: Spending, above: Purse | None = None) -> None:
        """`above`: the purse that this one is a part of; both have to hold what a call may cost."""
        self._limits = spending
        self._above = above
        self._changed = threading.Condition()
        self._flying = 0
        self.reserved = 0.0
        """Highest price of the calls that have no reply yet."""
        self.spent = 0.0
        """As providers told it."""
        self.unknown = 0.0
        """Highest price of the calls whose usage was never told."""
        self.calls = 0

    def part(self) -> Purse:
        """A purse that counts for itself what is taken out of this one."""
        return Purse(Spending(), self)

    def reserve(self, price: float) -> Reservation:
        """Set the highest price of a call aside; waits for calls that may give some back, raises where none can."""
        if self._above is not None:
            self._above.reserve(price)
        with self._changed:
            while not self._holds(price):
                if not self._flying:
                    raise OutOfMoney(
                        f"the next call may cost {price:.4g}, and {self._bound:.4g} of --max-cost "
                        f"{self._limits.cost:g} are spent",
                        "run the same command again to go on",
                    )
                self._changed.wait()
            if self._limits.calls is not None and self.calls >= self._limits.calls:
                raise OutOfMoney(
                    f"{self.calls} calls are made, as many as --max-calls allows", "run the same command again to go on"
                )
            self.calls += 1
            self._flying += 1
            self.reserved += price
            return Reservation(price)

    def settle(self, reservation: Reservation, cost: float | None) -> None:
        """The call is over; `cost` is None where nobody told it."""
        if self._above is not None:
            self._above.settle(reservation, cost)
        with self._changed:
            self._flying -= 1
            # Without calls in the air nothing is reserved: rounding errors must not add up.
            self.reserved = self.reserved - reservation.price if self._flying else 0.0
            if cost is None:
                self.unknown += reservation.price
            else:
                self.spent += cost
            self._changed.notify_all()

    def state(self) -> dict[str, float]:
        """Calls, and what is spent, possibly spent and reserved at one moment."""
        with self._changed:
            return {
                "calls": float(self.calls),
                "spent": self.spent,
                "unknown": self.unknown,
                "reserved": self.reserved,
            }

    @property
    def _bound(self) -> float:
        return self.spent + self.unknown

    def _holds(self, price: float) -> bool:
        limit = self._limits.cost
        return limit is None or self._bound + self.reserved + price <= limit
