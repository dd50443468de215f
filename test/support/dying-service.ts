import { setTimeout } from "node:timers/promises";
import { synthesise } from "../../bin/local/synthesise.ts";
import { lateSeconds } from "../../functions/projects/erasure.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { findTombstone, openErasures } from "../../functions/projects/tombstone.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { requireUser } from "../../functions/users/user-store.ts";
import { startCloud } from "../../lib/local/cloud.ts";
import { Api } from "./api.ts";
import { furnishedProject, whatIsLeft } from "./furnished-project.ts";
import { useAsEnvironment } from "./handler-environment.ts";
import { skippingClock } from "./skipping-clock.ts";

/**
 * A program that a test forks: the whole service, in which the owner of a project deletes it for good. It kills itself at the call of
 * its functions that it is told, counted from that request on; forked again on the same folder, it does what happens then anyway: the
 * owner, who may have got no answer, asks once more, and the sweeper has its turn.
 */
export interface Instruction {
  readonly folder: string;
  /** 0 to live. */
  readonly dieAt: number;
  /** What the life before has told, or undefined for the first life. */
  readonly before?: Doomed;
}

/** Told as soon as everything is in place. */
export interface Doomed {
  readonly projectId: string;
  readonly taskIds: readonly string[];
  readonly ownerId: string;
  readonly token: string;
}

/** Told when the deletion is finished. */
export interface Finished {
  readonly calls: number;
  readonly answer: number;
  readonly left: readonly string[];
  readonly tombstone: unknown;
  readonly counters: unknown;
}

/** Covers what skipping in an earlier life has put into deadlines, and is still shorter than the time-outs of tasks. */
const skippedMs = (lateSeconds + 10) * 1000;
const pollMs = 20;

if (process.send) process.once("message", (instruction: Instruction) => void run(instruction));

async function run({ folder, dieAt, before }: Instruction): Promise<void> {
  const cloud = await startCloud({
    dataFolder: folder,
    assembly: await synthesise(),
    host: "127.0.0.1",
    executionClock: skippingClock(skippedMs),
  });
  useAsEnvironment(cloud);
  const doomed = before ?? (await furnish());
  process.send?.(doomed);
  let calls = 0;
  cloud.gateway.planFault = ({ role }) => {
    if (role.includes("Functions") && ++calls === dieAt) process.kill(process.pid, "SIGKILL");
    return undefined;
  };
  const { status } = await new Api(cloud.apiUrl, doomed.token).call(
    "DELETE",
    `/api/v1/projects/${doomed.projectId}/permanent`,
  );
  if (before) {
    const [sweep] = [...cloud.resources].find(
      ([id, { type }]) => id.startsWith("FunctionsSweepErasures") && type === "AWS::Lambda::Function",
    ) as [string, unknown];
    await cloud.invoke(sweep, {});
  }
  while ((await openErasures()).length > 0) await setTimeout(pollMs);
  const finished: Finished = {
    calls,
    answer: status,
    left: await whatIsLeft(doomed.projectId, ...doomed.taskIds),
    tombstone: await findTombstone(doomed.projectId),
    counters: await readStatistics(doomed.ownerId),
  };
  process.send?.(finished);
  await cloud.stop();
  process.disconnect();
}

async function furnish(): Promise<Doomed> {
  const { project, tasks } = await furnishedProject();
  const owner = await requireUser(project.ownerId);
  const token = newSecret();
  await createApiToken(newApiToken({ name: "t", scope: "all", expiresInDays: 1 }, token, owner, new Date()));
  return { projectId: project.id, taskIds: tasks.map(({ id }) => id), ownerId: owner.id, token };
}
