import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { synthesise } from "../../bin/local/synthesise.ts";
import { storeExport } from "../../functions/database/export-store.ts";
import { enterRun } from "../../functions/database/import-store.ts";
import { keepInstantAnalysis } from "../../functions/instant/instant-analysis-store.ts";
import { addMember } from "../../functions/members/member-store.ts";
import { operations } from "../../functions/operations.ts";
import { environment } from "../../functions/platform/environment.ts";
import { s3 } from "../../functions/platform/object-store.ts";
import { lateSeconds } from "../../functions/projects/erasure.ts";
import type { Project } from "../../functions/projects/project.ts";
import { Counters, zero } from "../../functions/projects/statistics.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { openErasures } from "../../functions/projects/tombstone.ts";
import { requireStoredZip } from "../../functions/sources/stored-zip-store.ts";
import type { User } from "../../functions/users/user.ts";
import { requireUser } from "../../functions/users/user-store.ts";
import { type Cloud, startCloud } from "../../lib/local/cloud.ts";
import { furnishedProject, whatIsLeft } from "../support/furnished-project.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { killPoints } from "../support/kill-points.ts";
import { skippingClock } from "../support/skipping-clock.ts";

let folder: string;
let cloud: Cloud;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-clear-"));
  const executionClock = skippingClock(lateSeconds * 1000);
  cloud = await startCloud({ dataFolder: folder, assembly: await synthesise(), host: "127.0.0.1", executionClock });
  useAsEnvironment(cloud);
});
afterAll(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  cloud.gateway.planFault = () => undefined;
});

const now = () => new Date();
const request = (caller: User) => ({ caller, language: "en", now, requestId: "r" }) as never;
const clear = (caller: User) =>
  operations.database.clearDatabase.handle(request(caller)) as Promise<{ deleted: Record<string, number> }>;
const stats = (caller: User) => operations.database.readDatabaseStats.handle(request(caller));
const health = (caller: User) => operations.database.readDatabaseHealth.handle(request(caller));

/** Somebody with all that can be cleared: a project with a ZIP, scans and a member, an analysis, settings, an export, an import. */
async function furnished(): Promise<{ owner: User; project: Project; taskIds: string[]; zipKey: string }> {
  const { project, tasks } = await furnishedProject();
  const owner = await requireUser(project.ownerId);
  const given = { id: uuid(), ownerId: owner.id, language: "python", mode: "rules", issuesCount: 0 } as const;
  const rest = { qualityScore: 100, analysisTime: 1, result: "{}", createdAt: now().toISOString() };
  await keepInstantAnalysis({ ...given, ...rest });
  await operations.config.updateMyConfig.handle({
    ...(request(owner) as object),
    body: { llmConfig: { llmApiKey: "sk-0123456789" } },
  } as never);
  await storeExport(owner.id, Buffer.from("{}"), "a.json");
  await enterRun(owner.id, "0");
  return { owner, project, taskIds: tasks.map(({ id }) => id), zipKey: (await requireStoredZip(project.id)).key };
}

const all = { projects: 1, tasks: 2, issues: 4, analyses: 1, config: 1 };
const isErased = () => vi.waitUntil(async () => (await openErasures()).length === 0, { timeout: 60_000, interval: 20 });

describe("clearing one's data", () => {
  it("counts and deletes all of it, files too, and nothing of anybody else", async () => {
    const [mine, theirs] = [await furnished(), await furnished()];
    const joined = { role: "admin", permissions: "{}", joinedAt: now().toISOString(), version: 1 } as const;
    await addMember({ projectId: theirs.project.id, userId: mine.owner.id, ownerId: theirs.owner.id, ...joined });
    const [before, counters] = [
      await whatIsLeft(theirs.owner.id, theirs.project.id),
      await readStatistics(theirs.owner.id),
    ];
    expect(await stats(mine.owner)).toMatchObject({
      total_projects: 1,
      total_tasks: 2,
      running_tasks: 1,
      total_issues: 2,
      total_members: 1,
      total_analyses: 1,
      has_config: true,
    });
    expect(await clear(mine.owner)).toMatchObject({ deleted: all });
    // At once, whether or not the workflow has got anywhere.
    const empty = Object.fromEntries(Object.keys((await stats(mine.owner)) as object).map((name) => [name, 0]));
    expect(await stats(mine.owner)).toEqual({ ...empty, has_config: false });
    await isErased();
    expect(Counters.parse(await readStatistics(mine.owner.id))).toEqual(zero);
    expect(await whatIsLeft(mine.project.id, ...mine.taskIds)).toEqual([`P#${mine.project.id} P`]);
    const kept = (await whatIsLeft(mine.owner.id)).map((key) => key.split("#")[0]);
    // The tombstone, the membership in the other's project, their counters, the user with the claim on the address.
    expect(kept.toSorted()).toEqual(["EMAIL", "P", "P", "STATS", "U", "USERS"]);
    const object = { Bucket: environment().SOURCES_BUCKET, Key: mine.zipKey };
    await expect(s3.send(new GetObjectCommand(object))).rejects.toMatchObject({ name: "NoSuchKey" });
    expect(await whatIsLeft(theirs.owner.id, theirs.project.id)).toEqual(before);
    expect(await readStatistics(theirs.owner.id)).toEqual(counters);
    expect(await clear(mine.owner)).toMatchObject({
      deleted: { projects: 0, tasks: 0, issues: 0, analyses: 0, config: 0 },
    });
    expect(await health(mine.owner)).toMatchObject({ status: "healthy", database_connected: true, total_records: 0 });
  });

  it.each(["before", "after"] as const)(
    "that dies is finished by asking again, %s the call is done",
    async (when) => {
      const role = (await operatorRole()) as string;
      const golden = await furnished();
      let calls = 0;
      cloud.gateway.planFault = (call) => {
        if (call.role === role) calls += 1;
        return undefined;
      };
      expect(await clear(golden.owner)).toMatchObject({ deleted: all });
      expect(calls).toBeGreaterThan(15);
      for (const point of killPoints(calls, 3)) {
        const mortal = await furnished();
        let made = 0;
        const error = { code: "AccessDeniedException", message: "dead", status: 400 };
        cloud.gateway.planFault = (call) => {
          if (call.role !== role || ++made < point) return undefined;
          return { when: made === point ? when : "before", error } as never;
        };
        await expect(clear(mortal.owner)).rejects.toThrow();
        cloud.gateway.planFault = () => undefined;
        const { deleted } = await clear(mortal.owner);
        for (const [name, count] of Object.entries(all)) expect([0, count]).toContain(deleted[name]);
        const { id } = mortal.project;
        // What was buried and not started is the sweeper's.
        await sweep();
        await isErased();
        expect([point, await whatIsLeft(id, ...mortal.taskIds)]).toEqual([point, [`P#${id} P`]]);
        expect([point, Counters.parse(await readStatistics(mortal.owner.id))]).toEqual([point, zero]);
      }
    },
    300_000,
  );
});

/** What the gateway calls the function in this process. */
async function operatorRole(): Promise<string> {
  const roles: string[] = [];
  cloud.gateway.onCall = ({ role }) => roles.push(role);
  await readStatistics(uuid());
  cloud.gateway.onCall = () => {};
  return roles.find((role) => !role.includes("Functions")) as string;
}

async function sweep(): Promise<void> {
  const [id] = [...cloud.resources].find(
    ([name, { type }]) => name.startsWith("FunctionsSweepErasures") && type === "AWS::Lambda::Function",
  ) as [string, unknown];
  await cloud.invoke(id, {});
}
