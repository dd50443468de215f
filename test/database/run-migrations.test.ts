import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listMigrations } from "../../functions/database/list-migrations.ts";
import { claimSeconds, type Migration } from "../../functions/database/migration.ts";
import {
  claimMigration,
  endMigration,
  MigrationClaimLost,
  renewClaim,
} from "../../functions/database/migration-store.ts";
import { migrations } from "../../functions/database/migrations.ts";
import { runMigrations } from "../../functions/database/workflow/run-migrations.ts";
import { environment } from "../../functions/platform/environment.ts";
import type { Reply } from "../../functions/platform/operation.ts";
import { table } from "../../functions/platform/table.ts";
import { findProject } from "../../functions/projects/project-store.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { findTask } from "../../functions/scans/task-store.ts";
import { searchUsers } from "../../functions/users/user-directory.ts";
import type { RecordedCall } from "../../lib/local/gateway.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { killPoints } from "../support/kill-points.ts";
import { oldestData, writeItems } from "./oldest-data.ts";

type Item = Record<string, unknown>;

const at = new Date("2026-11-21T07:00:00.000Z");
const later = (seconds: number) => new Date(at.getTime() + seconds * 1000);
const numbers = migrations.map(({ number }) => number);
const old = oldestData(3);
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});
beforeEach(startOver);
afterAll(() => data.stop());

/** Nothing in the table but data of the oldest shape. */
async function startOver(): Promise<void> {
  data.gateway.planFault = () => undefined;
  data.gateway.onCall = () => {};
  await data.clearTable();
  await writeItems(old.items);
}

interface Outcome {
  readonly applied: number[];
  readonly left_to_another_run: number | null;
}

const run = (now = at, take_over = false) =>
  runMigrations.handle({ take_over } as never, () => now) as Promise<Outcome>;

async function listed(now = at) {
  const reply = (await listMigrations.handle({ query: { skip: 0, limit: 100 }, now: () => now } as never)) as Reply<
    { number: number; state: string; started_at: string | null; finished_at: string | null }[]
  >;
  return reply.body;
}
const states = async (now = at) => (await listed(now)).map(({ state }) => state);

async function everything(): Promise<Item[]> {
  const { Items = [] } = await table.send(new ScanCommand({ TableName: environment().TABLE_NAME }));
  return Items;
}

/** How many users the directory says it has. */
async function directoryEntries(): Promise<number> {
  const counted = (await everything()).filter(({ sk }) => sk === "SHARD").map((shard) => shard.entries as number);
  return counted.reduce((sum, count) => sum + count, 0);
}

/** What a run leaves behind, without who ran it and when. */
async function outcome(): Promise<Item[]> {
  const items = (await everything()).map((item) => {
    const { claim: _, claimedUntil: __, startedAt: ___, finishedAt: ____, changedAt: _____, ...kept } = item;
    // No two encryptions of one secret are alike.
    const comparable = JSON.parse(JSON.stringify(kept).replace(/enc:v1:[\w+/=]+/g, "encrypted")) as Item;
    return kept.isSystem || kept.ruleSetId ? { ...comparable, createdAt: "", gsi1sk: "" } : comparable;
  });
  return items.toSorted((a, b) => (`${a.pk}\0${a.sk}` < `${b.pk}\0${b.sk}` ? -1 : 1));
}

/** Everything from call `from` on fails, as it would for a process that is dead. @returns how many calls there were */
function dieAt(from: number): { readonly calls: number } {
  const seen = { calls: 0 };
  data.gateway.planFault = () => (++seen.calls >= from ? { when: "before", error: "cut" } : undefined);
  return seen;
}
const recover = () => {
  data.gateway.planFault = () => undefined;
};

const writesTemplates = (call: RecordedCall) =>
  call.operation === "PutItem" && JSON.stringify(call.permissions).includes("TPL#");

describe("migrations", () => {
  it("have numbers and names of their own, in ascending order, with 004 for templates and rule sets", () => {
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(new Set(migrations.map(({ name }) => name)).size).toBe(migrations.length);
    expect(migrations.find(({ number }) => number === 4)?.name).toBe("create_templates_and_rule_sets");
  });

  it("bring data of the oldest shape up to date", async () => {
    expect(await states()).toEqual(numbers.map(() => "pending"));
    expect(await run()).toEqual({ applied: numbers, left_to_another_run: null });
    expect(await searchUsers({ search: "用户" } as never, { skip: 0, limit: 10 })).toEqual({
      total: old.users.length,
      ids: old.users.map(({ id }) => id).toReversed(),
    });
    for (const { id, repositoryUrl } of old.projects) {
      expect(await findProject(id)).toMatchObject({ sourceType: repositoryUrl ? "repository" : "zip" });
    }
    expect(await directoryEntries()).toBe(old.users.length);
    for (const id of old.taskIds) expect(await findTask(id)).toMatchObject({ issuesCount: 3, issuesResolved: 1 });
    for (const { id } of old.users) {
      expect(await readStatistics(id)).toMatchObject({
        ...{ projects: 4, activeProjects: 2, tasks: 1, completedTasks: 1, issues: 3, resolvedIssues: 1 },
        qualityTenths: 875,
      });
    }
  });

  it("ship the templates and rule sets by the names, codes and severities that front ends know", async () => {
    await run();
    const items = await everything();
    const inOrder = (partition: string) =>
      items
        .filter(({ gsi1pk }) => gsi1pk === partition)
        .toSorted((a, b) => ((a.gsi1sk as string) < (b.gsi1sk as string) ? -1 : 1));
    const templates = inOrder("TPL#SYS");
    expect(templates.map(({ name }) => name)).toEqual(["默认代码审计", "安全专项审计", "性能优化审计", "代码质量审计"]);
    for (const { content, variables, isSystem } of templates) {
      expect(Object.keys(variables as object)).toEqual(["language", "code"]);
      expect(isSystem).toBe(true);
      for (const text of Object.values(content as Record<string, string>))
        expect(text).toMatch(/\{language\}.*\{code\}/s);
    }
    expect(items.find(({ pk }) => pk === "TPLDEF#system")).toMatchObject({ sk: "D", templateId: templates[0]?.id });
    expect(inOrder("RS#SYS").map(({ name, ruleType, isDefault }) => [name, ruleType, isDefault])).toEqual([
      ["OWASP Top 10", "security", true],
      ["代码质量规则", "quality", false],
      ["性能优化规则", "performance", false],
    ]);
    const rules = inOrder("RS#SYS").map((set) =>
      items
        .filter(({ pk, sk }) => pk === set.pk && (sk as string).startsWith("R#"))
        .toSorted((a, b) => ((a.sk as string) < (b.sk as string) ? -1 : 1))
        .map(({ ruleCode, severity }) => `${ruleCode} ${severity}`),
    );
    expect(rules).toEqual([
      [
        "A01 critical",
        "A02 critical",
        "A03 critical",
        "A04 high",
        "A05 high",
        "A06 high",
        "A07 critical",
        "A08 critical",
        "A09 medium",
        "A10 high",
      ],
      ["CQ001 medium", "CQ002 medium", "CQ003 low", "CQ004 low", "CQ005 high", "CQ006 low", "CQ007 low", "CQ008 low"],
      ["PERF001 high", "PERF002 critical", "PERF003 medium", "PERF004 medium", "PERF005 medium"],
    ]);
  });

  it("are listed with what became of them", async () => {
    await run();
    expect(await listed(later(500))).toEqual(
      migrations.map(({ number, name }) => ({
        number,
        name,
        state: "completed",
        started_at: at.toISOString(),
        finished_at: at.toISOString(),
      })),
    );
  });

  it("change nothing when they run again", async () => {
    await run();
    const before = await everything();
    const written: RecordedCall[] = [];
    data.gateway.onCall = (call) => {
      if (/Put|Update|Delete|Transact/.test(call.operation)) written.push(call);
    };
    expect(await run(later(500))).toEqual({ applied: [], left_to_another_run: null });
    expect(written).toEqual([]);
    expect(await everything()).toEqual(before);
  });
});

describe("a run that dies", () => {
  it("is taken up by the next one wherever it died, and the result is the same", async () => {
    const golden = dieAt(Number.POSITIVE_INFINITY);
    await run();
    const { calls } = golden;
    recover();
    const expected = await outcome();
    expect(calls).toBeGreaterThan(50);
    for (const from of killPoints(calls, 4)) {
      await startOver();
      dieAt(from);
      await run().catch(() => {});
      recover();
      const left = await states(later(claimSeconds + 1));
      expect(left).not.toContain("failed");
      expect(await run(later(claimSeconds + 1))).toMatchObject({ left_to_another_run: null });
      expect(await states(later(claimSeconds + 1))).toEqual(numbers.map(() => "completed"));
      expect(await outcome()).toEqual(expected);
    }
  });

  it("holds its claim until it expires, unless the operator knows that it is dead", async () => {
    const second = migrations[1] as Migration;
    await startOver();
    // From the first template on nothing gets through, the write that would say "failed" included.
    data.gateway.onCall = (call) => {
      if (writesTemplates(call)) dieAt(1);
    };
    await expect(run()).rejects.toThrow();
    data.gateway.onCall = () => {};
    recover();
    expect((await states())[1]).toBe("running");
    expect(await run(later(claimSeconds - 1))).toEqual({ applied: [], left_to_another_run: second.number });
    expect((await states(later(claimSeconds + 1)))[1]).toBe("interrupted");
    expect(await run(at, true)).toEqual({ applied: numbers.slice(1), left_to_another_run: null });
  });

  it("says that it failed when it can, and is tried again at once", async () => {
    data.gateway.planFault = (call) => (writesTemplates(call) ? { when: "before", error: "cut" } : undefined);
    await expect(run()).rejects.toThrow();
    recover();
    expect(await states()).toEqual(["completed", "failed", ...numbers.slice(2).map(() => "pending")]);
    expect(await run()).toEqual({ applied: numbers.slice(1), left_to_another_run: null });
  });

  it("is not mistaken for somebody else when only an answer was lost", async () => {
    const lost = new Set<string>();
    data.gateway.planFault = (call) => {
      const kind = `${call.operation} ${JSON.stringify(call.permissions[0]?.context)}`;
      if (!/Put|Update|Transact/.test(call.operation) || lost.has(kind)) return undefined;
      lost.add(kind);
      return { when: "after", error: "cut" };
    };
    expect(await run()).toEqual({ applied: numbers, left_to_another_run: null });
    expect(lost.size).toBeGreaterThan(30);
    recover();
    expect(await directoryEntries()).toBe(old.users.length);
  });
});

describe("runs at the same time", () => {
  it("apply each migration once between them", async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => run()));
    const applied = outcomes.flatMap((one) => one.applied);
    expect(applied.toSorted((a, b) => a - b)).toEqual(numbers);
    // A run that met another at work has left the rest to it; one more finds nothing to do or finishes.
    await run();
    expect(await states()).toEqual(numbers.map(() => "completed"));
    expect(await directoryEntries()).toBe(old.users.length);
  });

  it("hold a migration by one claim at a time, over any order of claiming, dying and going on", async () => {
    const migration: Migration = { number: 900, name: "model", run: async () => {} };
    const step = fc.record({
      runner: fc.nat(2),
      act: fc.constantFrom("claim", "renew", "end", "fail"),
      wait: fc.nat(90),
    });
    let model = 900;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const one = { ...migration, number: ++model };
        const held: (Awaited<ReturnType<typeof claimMigration>> | undefined)[] = [];
        let owner: number | null = null;
        let until = 0;
        let clock = 0;
        let done = false;
        for (const { runner, act, wait } of steps) {
          clock += wait;
          const mine = held[runner];
          if (act === "claim") {
            const got = await claimMigration(one, later(clock), false);
            expect(got !== null).toBe(!done && (owner === null || until < clock));
            if (!got) continue;
            held[runner] = got;
            owner = runner;
            until = clock + claimSeconds;
          } else if (mine) {
            const end = { renew: null, end: "completed", fail: "failed" } as const;
            const state = end[act];
            const change = state ? endMigration(mine, state, later(clock)) : renewClaim(mine, later(clock));
            if (owner !== runner) await expect(change).rejects.toThrow(MigrationClaimLost);
            else {
              await change;
              until = clock + claimSeconds;
              done = state === "completed";
              if (state) held[runner] = undefined;
              if (state) owner = null;
            }
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
