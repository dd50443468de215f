import * as z from "zod";
import { errorFields, log } from "../../platform/log.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { searchUsers } from "../../users/user-directory.ts";
import { compactRun } from "../compaction.ts";
import { eraseBuriedRuns } from "../erase-runs.ts";
import { applyRetention } from "../retention.ts";
import { anonymousTenant } from "../run.ts";
import { isRunError } from "../run-error.ts";
import { listRunsOf } from "../run-store.ts";

/** All of them: the directory of users holds no more. */
const everybody = { skip: 0, limit: 50_000 };
const runsAtOnce = 100;
/** No run is begun with after this; the function lives for 14 minutes, and a run that it dies in is made up for the next night. */
const milliseconds = 11 * 60_000;

export const tendRuns = workflowTask(
  {
    summary:
      "Takes from every run what it need not keep, puts its old small segments together, and erases the runs of users who are gone",
    input: z.unknown(),
    grants: {
      reads: ["userDirectory", "run"],
      indexes: ["gsi1"],
      writes: ["run"],
      results: {
        reads: ["runs/*/segments/*"],
        writes: ["runs/*/segments/*"],
        deletes: ["runs/*", "exports/runs/*"],
        lists: ["runs/*", "exports/runs/*"],
      },
    },
    memoryMiB: 1024,
    timeoutSeconds: 840,
  },
  async (_, now) => {
    const { ids } = await searchUsers({}, everybody);
    const timeIsUp = AbortSignal.timeout(milliseconds);
    const done = { runs: 0, failed: 0, compacted: 0 };
    await eraseBuriedRuns(now(), timeIsUp);
    // In another order each night, so that what one night does not get to is not always the same.
    for (const tenant of shuffled([anonymousTenant, ...ids])) {
      for await (const id of runsOf(tenant)) {
        if (timeIsUp.aborted) {
          log("warn", "not all runs were tended in time", { count: done.runs });
          return done;
        }
        await tend(id, now(), timeIsUp, done);
      }
    }
    // So that it counts as an error of the function. Lambda then tries all of it again, which is safe.
    if (done.failed > 0) throw new Error(`${done.failed} of ${done.runs} runs could not be tended.`);
    return done;
  },
);

/** One run that cannot be tended must not keep the others from it. */
async function tend(
  id: string,
  now: Date,
  signal: AbortSignal,
  done: { runs: number; failed: number; compacted: number },
): Promise<void> {
  done.runs += 1;
  try {
    await applyRetention(id, now);
    done.compacted += (await compactRun(id, now, signal)).before;
  } catch (error) {
    // Another call of this function is at it.
    if (isRunError(error, "aborted")) return;
    done.failed += 1;
    log("error", "run not tended", { run: id, ...errorFields(error) });
  }
}

async function* runsOf(tenant: string): AsyncGenerator<string> {
  for (let skip = 0; ; skip += runsAtOnce) {
    const { items } = await listRunsOf([tenant], { skip, limit: runsAtOnce });
    for (const { id } of items) yield id;
    if (items.length < runsAtOnce) return;
  }
}

const shuffled = (tenants: readonly string[]): string[] =>
  tenants
    .map((tenant) => [Math.random(), tenant] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, tenant]) => tenant);
