import { beforeAll, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import { findingsOfAll, openEngine } from "./engine-under-test.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

const head = `
import requests
from flask import Flask, request
from flask_login import login_required
from .rights import admin_required, visitor_count
app = Flask(__name__)
`;
const probe = (decorators: string) => `${head}
@app.post("/probe")
${decorators}
def probe():
    return {"answer": requests.get(request.form["address"]).status_code}
`;
const view = (permission: string) => `
import requests
from rest_framework.permissions import IsAdminUser, IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView

class Probe(APIView):
    permission_classes = [${permission}]

    def post(self, request):
        return Response(requests.get(request.data["address"]).status_code)
`;

it.each([
  ["any user", probe("@login_required"), "high"],
  ["an administrator", probe("@login_required\n@admin_required"), "low"],
  ["any user of a class", view("IsAuthenticated"), "high"],
  ["an administrator of a class", view("IsAdminUser"), "low"],
])("tells of an address that %s sends", async (_, source, severity) => {
  const found = await findingsOfAll(engine, [{ path: "app/views.py", source }]);
  expect(found.filter(({ family }) => family === "ssrf").map((finding) => finding.severity)).toEqual([severity]);
});

it("asks the route that the address comes into, wherever it is used", async () => {
  const fetch = {
    path: "app/fetch.py",
    source: "import requests\n\ndef load(address):\n    return requests.get(address)\n",
  };
  const routes = (decorator: string) => `${head}
from .fetch import load

@app.get("/")
def index():
    return "hello"

@app.post("/probe")
${decorator}
def probe():
    return {"answer": load(request.form["address"]).status_code}
`;
  for (const [decorator, severity] of [
    ["@login_required", "high"],
    ["@admin_required", "low"],
  ] as const) {
    const found = await findingsOfAll(engine, [fetch, { path: "app/views.py", source: routes(decorator) }]);
    expect(found.filter(({ family }) => family === "ssrf").map((finding) => finding.severity)).toEqual([severity]);
  }
});

it("asks the handler that the address comes into, where another one uses what it leaves", async () => {
  const source = (user: string) => `
import requests
from fastapi import APIRouter, Depends, Request
from .models import Settings
from .rights import get_admin_user, get_verified_user

router = APIRouter()

@router.post("/settings")
def change(request: Request, form: Settings, user=Depends(${user})):
    request.app.state.config.SPEECH_URL = form.url

@router.post("/speech")
def speech(request: Request, user=Depends(get_verified_user)):
    return requests.post(request.app.state.config.SPEECH_URL).status_code
`;
  const found = async (user: string) =>
    (await findingsOfAll(engine, [{ path: "app/speech.py", source: source(user) }]))
      .filter(({ family }) => family === "ssrf")
      .map(({ severity }) => severity);
  expect(await found("get_verified_user")).toEqual(["high"]);
  expect(await found("get_admin_user")).toEqual(["low"]);
});

it.each([
  ['@PreAuthorize("isAuthenticated()")', "medium"],
  [`@PreAuthorize("hasRole('ADMIN')")`, "low"],
  [`@PreAuthorize("@ss.hasPermi('system:member:edit')")`, "low"],
  ['@RequiresPermissions("system:member:edit")', "low"],
])("tells of an object of the database that is filled under %s", async (decorator, severity) => {
  const controller = `
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.*;

@RestController
class MembersController {
  private final MemberRepository memberRepository;

  ${decorator}
  @PostMapping("/members")
  public Member join(@RequestBody Member member) {
    return memberRepository.save(member);
  }
}
`;
  const member = "import jakarta.persistence.*;\n\n@Entity\npublic class Member {\n  private String role;\n}\n";
  const found = await findingsOfAll(engine, [
    { path: "src/MembersController.java", source: controller },
    { path: "src/Member.java", source: member },
  ]);
  expect(found.filter(({ family }) => family === "mass_assignment").map((finding) => finding.severity)).toEqual([
    severity,
  ]);
});
