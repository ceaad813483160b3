#!/usr/bin/env python3
"""A sample."""

import os.path
from dataclasses import dataclass, field as make_field

LIMIT = 10
_cache: dict[str, int] = {}
first = second = None
first = 1

type Vector[T] = list[T]
type Name = str

if LIMIT > 5:
    COMPAT = True


@dataclass
class Point:
    """A point."""

    # Across.
    x: int = 0
    y: int = make_field(default=0)
    ORIGIN = (0, 0)

    def __init__(self, x, y=0, *args, **kwargs):
        self.x = x
        local = y

    @property
    def length(self) -> float:
        return os.path.join(self.x)

    @staticmethod
    async def fetch(url: str) -> "Point":
        async with session.get(url) as answer:
            return await answer.json()

    class Meta:
        ordering = ["x"]


class Line(Point, abc.ABC):
    pass


# Belongs to the function.
@decorated
@app.route(
    "/lines",
    methods=["GET"],
)
def lines(
    count: int,
) -> list[Line]:
    def inner():
        return count

    value = [inner() for _ in range(count)]
    return value


async def main(): ...


def test_lines():
    assert lines(1)
