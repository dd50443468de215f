import os
import shutil
from pathlib import Path

from fastapi import APIRouter, Depends, File, HTTPException, Request, UploadFile
from fastapi.responses import FileResponse, StreamingResponse

router = APIRouter(prefix="/files")
ROOT = Path("/srv/notes").resolve()


def inside(name: str) -> Path:
    """The file of that name in the root folder."""
    path = (ROOT / name).resolve()
    if not path.is_relative_to(ROOT):
        raise HTTPException(404)
    return path


def tenant_of(request: Request) -> str:
    return request.headers["x-tenant"]


@router.get("/{name:path}")
def download(name: str):
    # vuln: path_traversal
    return FileResponse(ROOT / name)


@router.get("/safe/{name:path}")
def safe_download(name: str):
    # safe: path_traversal
    return FileResponse(inside(name))


@router.get("/depends/{name}")
def depends(path: Path = Depends(inside)):
    # safe: path_traversal
    return FileResponse(path)


@router.get("/tenant")
def tenant_file(tenant: str = Depends(tenant_of)):
    # vuln: path_traversal
    return StreamingResponse(open(f"/srv/tenants/{tenant}/index", "rb"))


@router.post("/")
async def upload(file: UploadFile = File(...)):
    # vuln: path_traversal
    with open(ROOT / file.filename, "wb") as out:
        shutil.copyfileobj(file.file, out)
    # safe: path_traversal
    with open(ROOT / os.path.basename(file.filename), "wb") as out:
        out.write(await file.read())
    return {"size": out.tell()}
