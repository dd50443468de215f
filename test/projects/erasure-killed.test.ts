import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DescribeExecutionCommand, SFNClient } from "@aws-sdk/client-sfn";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { synthesise } from "../../bin/local/synthesise.ts";
import { environment } from "../../functions/platform/environment.ts";
import { lateSeconds } from "../../functions/projects/erasure.ts";
import { startErasure } from "../../functions/projects/erasure-execution.ts";
import { buryProject } from "../../functions/projects/project-store.ts";
import { Counters, zero } from "../../functions/projects/statistics.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { findTombstone, openErasures } from "../../functions/projects/tombstone.ts";
import { type Cloud, startCloud } from "../../lib/local/cloud.ts";
import type { Fault, RecordedCall } from "../../lib/local/gateway.ts";
import type { Doomed, Finished, Instruction } from "../support/dying-service.ts";
import { furnishedProject, whatIsLeft } from "../support/furnished-project.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { killPoints } from "../support/kill-points.ts";
import { skippingClock } from "../support/skipping-clock.ts";

/** Processes are killed at some of the calls they make; SLUICE_KILL_POINTS=all kills them at each, which takes minutes. */
const fewPoints = { ofFunction: 3, ofService: 2 };

let folder: string;
let cloud: Cloud;
let functionArn: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-killed-"));
  const executionClock = skippingClock(lateSeconds * 1000);
  cloud = await startCloud({ dataFolder: folder, assembly: await synthesise(), host: "127.0.0.1", executionClock });
  useAsEnvironment(cloud);
  const [, erase] = [...cloud.resources].find(
    ([id, { type }]) => id.startsWith("FunctionsEraseProject") && type === "AWS::Lambda::Function",
  ) as [string, { attributes: Record<string, string> }];
  functionArn = erase.attributes.Arn as string;
});
afterAll(async () => {
  await cloud.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  cloud.gateway.planFault = () => undefined;
});

/** Deletes a project for good and waits until its workflow has ended. @returns what is left of it, and of its owner's counters */
async function erased(atCall: (call: number) => Fault | undefined) {
  const { project, tasks } = await furnishedProject();
  let calls = 0;
  cloud.gateway.planFault = ({ role }: RecordedCall) =>
    role.includes("FunctionsEraseProjectRole") ? atCall(++calls) : undefined;
  const at = new Date();
  await buryProject(project, at);
  await startErasure(project.id, at, at);
  const status = await outcomeOf(project.id);
  cloud.gateway.planFault = () => undefined;
  const left = await whatIsLeft(project.id, ...tasks.map(({ id }) => id));
  const counters = Counters.parse(await readStatistics(project.ownerId));
  return { calls, end: { status, left, counters, tombstone: await findTombstone(project.id) }, id: project.id };
}

async function outcomeOf(projectId: string): Promise<string | undefined> {
  const states = new SFNClient({});
  const executionArn = `${environment().ERASURE_MACHINE_ARN.replace(":stateMachine:", ":execution:")}:${projectId}-0`;
  const status = async () => (await states.send(new DescribeExecutionCommand({ executionArn }))).status;
  await vi.waitUntil(async () => (await status()) !== "RUNNING", { timeout: 60_000, interval: 20 });
  return status();
}

const clean = (id: string) => ({
  status: "SUCCEEDED",
  left: [`P#${id} P`],
  counters: zero,
  tombstone: expect.objectContaining({ erasedAt: expect.any(String) }),
});

describe("permanent deletion, when the process of its function is killed", () => {
  it.each(["before", "after"] as const)(
    "finishes by itself and leaves no orphan, %s the call is done",
    async (when) => {
      const golden = await erased(() => undefined);
      expect(golden.end).toEqual(clean(golden.id));
      expect(golden.calls).toBeGreaterThan(25);
      for (const point of killPoints(golden.calls, fewPoints.ofFunction)) {
        let killed = 0;
        const { end, id, calls } = await erased((call) => {
          if (call !== point) return undefined;
          for (const pid of cloud.lambda.processesOf(functionArn)) {
            process.kill(pid, "SIGKILL");
            killed += 1;
          }
          // "after": the call goes through, and its answer finds nobody.
          return when === "before" ? { when, error: "cut" } : undefined;
        });
        expect([point, killed, end]).toEqual([point, 1, clean(id)]);
        expect(calls).toBeGreaterThan(point);
      }
      expect(await openErasures()).toEqual([]);
    },
    600_000,
  );
});

describe("permanent deletion, when the whole service is killed", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
  });

  /** Runs the service until it has told what it tells last, or dies. */
  async function live(instruction: Instruction) {
    const child = fork(new URL("../support/dying-service.ts", import.meta.url), { execArgv: [] });
    const told: (Doomed | Finished)[] = [];
    child.on("message", (message: Doomed | Finished) => told.push(message));
    child.send(instruction);
    const [code, signal] = await once(child, "exit");
    return { code, signal, doomed: told[0] as Doomed, finished: told[1] as Finished | undefined };
  }

  function newFolder(): string {
    const made = mkdtempSync(join(tmpdir(), "sluice-dying-"));
    folders.push(made);
    return made;
  }

  const finishedFor = ({ projectId }: Doomed) => ({
    calls: expect.any(Number),
    left: [`P#${projectId} P`],
    tombstone: expect.objectContaining({ erasedAt: expect.any(String) }),
    counters: expect.objectContaining(zero),
  });

  it("is finished by the next start, and leaves no orphan", async () => {
    const golden = await live({ folder: newFolder(), dieAt: 0 });
    expect(golden).toMatchObject({ code: 0, finished: { ...finishedFor(golden.doomed), answer: 200 } });
    for (const dieAt of killPoints((golden.finished as Finished).calls, fewPoints.ofService)) {
      const dying = newFolder();
      const { doomed, ...end } = await live({ folder: dying, dieAt });
      expect([dieAt, end]).toEqual([dieAt, { code: null, signal: "SIGKILL", finished: undefined }]);
      const { finished, code } = await live({ folder: dying, dieAt: 0, before: doomed });
      expect([dieAt, code, finished]).toEqual([dieAt, 0, { ...finishedFor(doomed), answer: expect.any(Number) }]);
      // It was deleted before the service died, or is by the owner's second request.
      expect([200, 404]).toContain(finished?.answer);
    }
  }, 900_000);
});
