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
import { furnishedProject, whatIsLeft } from "../support/furnished-project.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { killPoints } from "../support/kill-points.ts";
import { skippingClock } from "../support/skipping-clock.ts";

/** The process of the function that erases is killed at calls it makes; SLUICE_KILL_POINTS=all kills it at each. */
const pointsMax = 5;

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
      for (const point of killPoints(golden.calls, pointsMax)) {
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
