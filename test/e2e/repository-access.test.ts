import { randomUUID } from "node:crypto";
import { expect, inject, it } from "vitest";
import { Api } from "../support/api.ts";

const { url, token } = inject("service");

/** Inside the machine, which no function may reach: what is asked for ends there, behind everything that roles have to allow. */
const repositoryUrl = "https://127.0.0.1/owner/name";

it("opens the caller's token for a repository, asks no host inside, and tells why in words and codes", async () => {
  const account = { email: `${randomUUID()}@example.test`, password: "lantern copper meadow" };
  await new Api(url, token).ok("POST", "/api/v1/users/", { json: { ...account, full_name: "Dev" } });
  const dev = await new Api(url).as(account);
  const otherConfig = { githubToken: "ghp_canary0123456789", githubBaseUrl: "https://127.0.0.1" };
  await dev.ok("PUT", "/api/v1/config/me", { json: { otherConfig } });
  const json = { name: "inside", repository_type: "github", repository_url: repositoryUrl };
  const { id } = await dev.ok("POST", "/api/v1/projects", { json });

  const access = await dev.ok("POST", `/api/v1/projects/${id}/test-access`);
  expect(access).toMatchObject({ branch: "main", commit: null });
  expect(Object.values(access)).toContain("outbound_address_refused");
  expect(access.message).toContain("private network");

  const branches = await dev.ok("GET", `/api/v1/projects/${id}/branches`);
  expect(branches).toMatchObject({ branches: ["main"], default_branch: "main", error: access.message });

  const files = await dev.call("GET", `/api/v1/projects/${id}/files`);
  expect(files).toMatchObject({ status: 422, body: { code: "outbound_address_refused" } });
  expect(JSON.stringify([access, branches, files.body])).not.toContain("canary");
});
