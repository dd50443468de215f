from typing import Annotated

import jwt
from fastapi import Depends, Header, Query
from sqlalchemy.orm import Session

from .config import settings
from .database import get_db


def sorting(order: str = Query("title")):
    return order


def caller(authorization: str = Header()):
    return jwt.decode(authorization, settings.public_key, algorithms=["RS256"])


SessionDep = Annotated[Session, Depends(get_db)]
CurrentUser = Annotated[dict, Depends(caller)]
