import * as z from "zod";
import { log } from "../../platform/log.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { claimSeconds, type Migration, type MigrationRecord } from "../migration.ts";
import { claimMigration, endMigration, MigrationClaimLost, readMigration, renewClaim } from "../migration-store.ts";
import { migrations } from "../migrations.ts";

export const runMigrations = workflowTask(
  {
    summary:
      "Makes the numbered changes of stored records that are not made yet; the operator invokes it after each deployment",
    input: z.object({
      /** For an operator who knows that no other run lives, as after a crash: does not wait for its claim to expire. */
      take_over: z.boolean().default(false),
    }),
    grants: {
      reads: ["migration", "userDirectory", "statistics", "userConfig"],
      writes: [
        ...(["migration", "user", "userDirectory", "project", "task", "statistics"] as const),
        ...(["ruleSet", "promptTemplate", "defaultTemplate", "userConfig"] as const),
      ],
      indexes: ["gsi1", "gsi2"],
      // It makes secrets unreadable and never reads one that is.
      secrets: ["encrypt"],
    },
    timeoutSeconds: 900,
  },
  async ({ take_over }, now) => {
    const applied: number[] = [];
    for (const migration of migrations) {
      if ((await readMigration(migration.number))?.state === "completed") continue;
      const claim = await claimMigration(migration, now(), take_over);
      // Later ones build on it, so a run that finds another at work leaves the rest to that one.
      if (!claim) return { applied, left_to_another_run: migration.number };
      await run(migration, claim, now);
      applied.push(migration.number);
    }
    return { applied, left_to_another_run: null };
  },
);

async function run(migration: Migration, claim: MigrationRecord, now: () => Date): Promise<void> {
  let held = claim;
  const keepClaim = async () => {
    const left = held.claimedUntil - now().getTime() / 1000;
    if (left < claimSeconds / 2) held = await renewClaim(held, now());
  };
  try {
    await migration.run({ now, keepClaim });
  } catch (error) {
    // Should this write fail too, the claim expires and the next run takes the migration up all the same.
    if (!(error instanceof MigrationClaimLost)) await endMigration(held, "failed", now()).catch(() => {});
    throw error;
  }
  await endMigration(held, "completed", now());
  log("info", "migration done", { operation: migration.name });
}
