from enum import Enum
from uuid import UUID

from pydantic import BaseModel, HttpUrl


class Order(str, Enum):
    newest = "newest"
    oldest = "oldest"


class NoteIn(BaseModel):
    title: str
    body: str
    rank: int
    owner: UUID
    order: Order
    link: HttpUrl | None = None
