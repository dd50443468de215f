import * as z from "zod";
import { log } from "../../platform/log.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { searchUsers } from "../../users/user-directory.ts";
import { recount } from "../recount.ts";

/** All of them: the directory of users holds no more. */
const everybody = { skip: 0, limit: 50_000 };

export const recountStatistics = workflowTask(
  {
    summary: "Counts every owner's projects and tasks anew, and repairs and reports counters that drifted",
    input: z.unknown(),
    grants: {
      reads: ["userDirectory", "statistics"],
      indexes: ["gsi1", "gsi2"],
      writes: ["statistics"],
    },
    memoryMiB: 1024,
    timeoutSeconds: 900,
  },
  async (_, now) => {
    const { ids } = await searchUsers({}, everybody);
    let drifted = 0;
    for (const ownerId of ids) {
      const drift = await recount(ownerId, now());
      if (!drift) continue;
      drifted += 1;
      // The one line to put an alarm on: counters change in the transactions of their events, so this is a bug.
      log("warn", "statistics drifted", { user: ownerId, drift });
    }
    return { owners: ids.length, drifted };
  },
);
