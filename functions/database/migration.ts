import * as z from "zod";

/** A numbered change of stored records, made once in the life of a table. Its number and name never change again. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * Makes the change. A run that died is begun again, so every write is conditional or leaves what it wrote before; records may be read
   * and written by the service meanwhile.
   */
  readonly run: (run: MigrationRun) => Promise<void>;
}

/** What a migration gets from its runner. */
export interface MigrationRun {
  readonly now: () => Date;
  /** To be called between writes: keeps the claim alive. @throws MigrationClaimLost when another runner has taken over */
  readonly keepClaim: () => Promise<void>;
}

/** What the table knows of a migration. */
export const MigrationRecord = z.object({
  number: z.number().int(),
  name: z.string(),
  state: z.enum(["running", "completed", "failed"]),
  /** Who runs it: a runner that finds another claim here stops. */
  claim: z.uuid(),
  /** Seconds since 1970. A claim that was not renewed by then was left behind by a crash and may be taken over. */
  claimedUntil: z.number().int(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type MigrationRecord = z.infer<typeof MigrationRecord>;

/** Migrations keep their claim as they go; one that has not for this long is dead. */
export const claimSeconds = 60;

export const MigrationView = z.object({
  number: z.number(),
  name: z.string(),
  /** "interrupted": its runner died; the next run takes it up again. */
  state: z.enum(["pending", "running", "interrupted", "completed", "failed"]),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

export const migrationView = (
  { number, name }: Pick<Migration, "number" | "name">,
  record: MigrationRecord | undefined,
  at: Date,
): z.input<typeof MigrationView> => ({
  number,
  name,
  state: record ? (isDead(record, at) ? "interrupted" : record.state) : "pending",
  started_at: record?.startedAt ?? null,
  finished_at: record?.finishedAt ?? null,
});

const isDead = (record: MigrationRecord, at: Date): boolean =>
  record.state === "running" && record.claimedUntil < at.getTime() / 1000;
