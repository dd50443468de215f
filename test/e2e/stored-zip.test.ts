import { randomBytes } from "node:crypto";
import { describe, expect, inject, it } from "vitest";
import { Api, zipOf } from "../support/api.ts";

const { url, token } = inject("service");
const api = new Api(url, token);

/** As a browser or `curl -L` does: one request that follows the redirect; the token stays with our own origin. */
const download = (projectId: string) =>
  fetch(new URL(`/api/v1/projects/${projectId}/zip/download`, url), {
    headers: { Authorization: `Bearer ${api.token}` },
  });

describe("a stored ZIP", () => {
  it("comes back byte by byte, by the rights of the function that made the link, until it is deleted", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "下载", source_type: "zip" } });
    for (const text of ["first", "second"]) {
      const archive = await zipOf({ "a.txt": text, "b.bin": randomBytes(300_000) });
      expect(await api.uploadDirectly(project.id, archive, "我的 源码.zip")).toMatchObject({ status: 200 });
      const answer = await download(project.id);
      expect([answer.status, answer.redirected]).toEqual([200, true]);
      expect(answer.headers.get("content-disposition")).toBe(
        `attachment; filename="archive.zip"; filename*=UTF-8''${encodeURIComponent("我的 源码.zip")}`,
      );
      expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(await archive.arrayBuffer()))).toBe(true);
    }
    for (let i = 0; i < 2; i++) await api.ok("DELETE", `/api/v1/projects/${project.id}/zip`);
    expect(await api.ok("GET", `/api/v1/projects/${project.id}/zip`)).toMatchObject({ has_file: false });
    const gone = await download(project.id);
    expect([gone.status, ((await gone.json()) as { code: string }).code]).toEqual([400, "zip_not_stored"]);
  });
});
