import asyncio
from datetime import date
from enum import Enum
from typing import Annotated, Literal, Optional
from uuid import UUID

import httpx
from fastapi import APIRouter, Body, Depends, Form, Header, HTTPException, Path, Query
from fastapi.responses import RedirectResponse
from sqlalchemy import text
from sqlalchemy.orm import Session

from ..database import get_connection, get_db
from ..schemas import NoteIn, Order

router = APIRouter(prefix="/notes")


@router.get("/")
def list_notes(q: str, db: Session = Depends(get_db)):
    # vuln: sql_injection
    return db.execute(text(f"SELECT * FROM notes WHERE title LIKE '%{q}%'")).all()


@router.get("/bound")
def list_bound(q: str, db: Session = Depends(get_db)):
    # safe: sql_injection
    return db.execute(text("SELECT * FROM notes WHERE title LIKE :q"), {"q": q}).all()


@router.get("/typed/{number}")
def typed(number: int, owner: UUID, day: date, limit: Optional[int] = None, db: Session = Depends(get_db)):
    # safe: sql_injection
    return db.execute(text(f"SELECT * FROM notes WHERE id = {number} AND owner = '{owner}' AND day > '{day}' LIMIT {limit}")).all()


@router.get("/ordered")
def ordered(order: Order, side: Literal["asc", "desc"], db: Session = Depends(get_db)):
    # safe: sql_injection
    return db.execute(text(f"SELECT * FROM notes ORDER BY {order.value} {side}")).all()


@router.get("/annotated")
def annotated(
    q: Annotated[str, Query(max_length=50)],
    number: Annotated[int, Query(ge=1)],
    agent: Annotated[str | None, Header()] = None,
):
    connection = get_connection()
    # vuln: sql_injection
    rows = connection.execute("SELECT * FROM notes WHERE agent = '" + agent + "'").fetchall()
    # safe: sql_injection
    rows += connection.execute(f"SELECT * FROM notes WHERE id = {number}").fetchall()
    # vuln: sql_injection
    return rows + connection.execute("SELECT * FROM notes WHERE title = '" + q + "'").fetchall()


@router.post("/")
def create(note: NoteIn):
    connection = get_connection()
    # vuln: sql_injection
    connection.execute(f"INSERT INTO notes (title) VALUES ('{note.title}')")
    # safe: sql_injection
    connection.execute(f"UPDATE notes SET rank = {note.rank} WHERE owner = '{note.owner}'")
    # safe: sql_injection
    connection.execute("INSERT INTO notes (title, body) VALUES (?, ?)", (note.title, note.body))
    connection.commit()
    return {"ok": True}


@router.get("/go")
def go(url: str = Query(...)):
    # vuln: open_redirect
    return RedirectResponse(url)


@router.get("/go/{name}")
def go_named(name: str = Path(..., pattern="^[a-z]+$")):
    # safe: open_redirect
    return RedirectResponse(f"/notes/{name}")


@router.post("/fetch")
async def fetch(url: str = Body(..., embed=True)):
    async with httpx.AsyncClient() as client:
        # vuln: ssrf
        page = await client.get(url)
        # safe: ssrf
        item = await client.get("https://notes.example.org/", params={"url": url})
    return {"page": page.status_code, "item": item.status_code}


@router.post("/render")
async def render(style: str = Form("plain")):
    # vuln: command_injection
    process = await asyncio.create_subprocess_shell(f"render --style {style}")
    # safe: command_injection
    other = await asyncio.create_subprocess_exec("render", "--style", style)
    await process.wait()
    await other.wait()
    if style not in {"plain", "rich"}:
        raise HTTPException(400)
    # safe: command_injection
    await asyncio.create_subprocess_shell(f"render --style {style}")
    return {"ok": True}


class Column(str, Enum):
    TITLE = "title"
    RANK = "rank"


@router.get("/sorted")
def sorted_notes(column: Column, table: str):
    connection = get_connection()
    # safe: sql_injection
    rows = connection.execute(f"SELECT * FROM notes ORDER BY {column.value}").fetchall()
    # vuln: sql_injection
    return rows + connection.execute(f"SELECT * FROM {table}").fetchall()
