import { setTimeout } from "node:timers/promises";
import { expect, inject, it } from "vitest";
import { type Answer, Api } from "../support/api.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

const { url, token } = inject("service");

it("runs three scans of an owner at a time and all of them in the end", async () => {
  const api = await new Api(url, token).newcomer();
  const projects = await Promise.all(Array.from({ length: 6 }, () => api.projectWith(vulnerableApp)));
  const started = projects.map(({ id }) =>
    api.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: id } }),
  );
  for (const answer of await Promise.all(started)) expect(answer.status).toBe("queued");
  let states: string[];
  do {
    states = (await api.ok("GET", "/api/v1/tasks/")).map(({ status }: Answer["body"]) => status);
    expect(states.filter((status) => status === "running").length).toBeLessThanOrEqual(3);
    await setTimeout(20);
  } while (states.some((status) => status === "pending" || status === "running"));
  expect(states).toEqual(Array(6).fill("completed"));
});
