import uvicorn
from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse

from .routers import files, notes

app = FastAPI()
# vuln: permissive_cors
app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True, allow_methods=["*"])
app.include_router(notes.router)
app.include_router(files.router)


@app.get("/hello", response_class=HTMLResponse)
async def hello(name: str = "you"):
    # vuln: xss
    return f"<h1>Hello {name}</h1>"


@app.get("/hello/json")
async def hello_json(name: str = "you"):
    # safe: xss
    return f"<h1>Hello {name}</h1>"


@app.get("/hello/explicit")
async def hello_explicit(name: str):
    # vuln: xss
    return HTMLResponse("<h1>Hello " + name + "</h1>")


@app.get("/hello/number")
async def hello_number(number: int):
    # safe: xss
    return HTMLResponse(f"<h1>Hello {number}</h1>")


@app.get("/hello/plain")
async def hello_plain(name: str):
    # safe: xss
    return PlainTextResponse(name)


@app.exception_handler(ValueError)
async def on_error(request: Request, error: ValueError):
    return JSONResponse({"detail": "bad value"}, status_code=400)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1")
