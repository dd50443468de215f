from dataclasses import dataclass
from typing import Annotated, ClassVar

import jwt
from fastapi import Depends, Header, Query
from sqlalchemy import text
from sqlalchemy.orm import Session

from .config import settings
from .database import get_db


def sorting(order: str = Query("title")):
    return order


def caller(authorization: str = Header()):
    return jwt.decode(authorization, settings.public_key, algorithms=["RS256"])


@dataclass
class Window:
    kind: ClassVar[str] = "notes"
    column: str = "title"
    size: int = 20

    def ordered(self, db):
        # vuln: sql_injection
        return db.execute(text("SELECT * FROM notes ORDER BY " + self.column)).all()


SessionDep = Annotated[Session, Depends(get_db)]
CurrentUser = Annotated[dict, Depends(caller)]
