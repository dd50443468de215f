import subprocess
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from sqlalchemy import text

from ..deps import CurrentUser, SessionDep, Window, caller, sorting

router = APIRouter(prefix="/search")


class Paging:
    def __init__(self, sort: str = "title", page: int = 1):
        self.sort = sort
        self.page = page


@dataclass(frozen=True)
class Span:
    origin: str
    length: int = Query(10)
    parts: list = field(default_factory=list)


def filters(q: str = "", limit: int = 20):
    yield {"q": q, "limit": limit}


Filters = Annotated[dict, Depends(filters)]


@router.get("/")
def search(db: SessionDep, given: dict = Depends(filters), paging: Paging = Depends()):
    # vuln: sql_injection
    found = db.execute(text(f"SELECT * FROM notes WHERE title = '{given['q']}'")).all()
    # safe: sql_injection
    found += db.execute(text(f"SELECT * FROM notes LIMIT {given['limit']} OFFSET {paging.page}")).all()
    # vuln: sql_injection
    found += db.execute(text(f"SELECT * FROM notes ORDER BY {paging.sort}")).all()
    # safe: sql_injection
    return found + db.execute(text("SELECT * FROM notes WHERE title = :q"), {"q": given["q"]}).all()


@router.get("/named")
def named(db: SessionDep, given: Filters, order: str = Depends(sorting)):
    # vuln: sql_injection
    found = db.execute(text("SELECT * FROM notes WHERE title = '" + given["q"] + "'")).all()
    # vuln: sql_injection
    return found + db.execute(text("SELECT * FROM notes ORDER BY " + order)).all()


@router.get("/mine")
def mine(db: SessionDep, user: CurrentUser, same: dict = Depends(caller)):
    # safe: sql_injection
    found = db.execute(text(f"SELECT * FROM notes_of_{user['sub']}")).all()
    # safe: sql_injection
    return found + db.execute(text(f"SELECT * FROM notes_of_{same['sub']}")).all()


@router.get("/sort")
def sort(side: str = Query("asc", pattern="^(asc|desc)$"), tool: str = Query("sort")):
    # safe: command_injection
    subprocess.run(f"sort --{side}", shell=True)
    # vuln: command_injection
    subprocess.run(f"{tool} --stable", shell=True)


@router.get("/span")
def span(db: SessionDep, given: Annotated[Span, Depends()]):
    # vuln: sql_injection
    found = db.execute(text("SELECT * FROM notes WHERE origin = '" + given.origin + "'")).all()
    # safe: sql_injection
    return found + db.execute(text(f"SELECT * FROM notes LIMIT {given.length}")).all()


@router.get("/window")
def window(db: SessionDep, given: Window = Depends()):
    # vuln: sql_injection
    found = db.execute(text("SELECT * FROM notes ORDER BY " + given.column)).all()
    # safe: sql_injection
    return found + db.execute(text(f"SELECT * FROM notes LIMIT {given.size}")).all()


@router.get("/fixed")
def fixed(db: SessionDep, column: str):
    # safe: sql_injection
    found = db.execute(text("SELECT * FROM notes ORDER BY " + Span("title", 3).origin)).all()
    return found + Window(column=column).ordered(db)


def reindex(path: str):
    # vuln: command_injection
    subprocess.run(f"reindex {path}", shell=True)


router.add_api_route("/reindex", reindex, methods=["POST"])
