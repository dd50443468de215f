import { isSecretField, said, type UserConfig } from "../config/user-config.ts";
import { isSluiceError } from "../platform/errors.ts";
import { openSecret } from "../platform/secrets.ts";
import type { Project } from "../projects/project.ts";
import { readProjects } from "../projects/project-store.ts";
import { findDrift } from "../projects/recount.ts";
import { findTombstone } from "../projects/tombstone.ts";
import { ended, type Task } from "../scans/task.ts";
import type { Complaint } from "./database-health.ts";
import { halfBrought } from "./import-store.ts";
import { sideBySide } from "./owned-records.ts";

/** A healthy scan gives a sign of life after each chunk, and the sweeper looks after silent ones within two minutes. */
const silentMinutes = 15;
/** The workflow of a deletion has given up once by then and was started again. */
const erasureHours = 6;

/** What is the matter with the records of a user. It looks and changes nothing. */
export async function checkRecords(
  userId: string,
  projects: readonly Project[],
  tasks: readonly Task[],
  at: Date,
): Promise<Complaint[]> {
  const live = new Set(projects.map(({ id }) => id));
  const half = new Set(await halfBrought(userId));
  const unfinished = projects.filter(({ id }) => half.has(id));
  const before = new Date(at.getTime() - silentMinutes * 60_000).toISOString();
  const silent = tasks.filter(
    ({ status, heartbeatAt, projectId }) =>
      !ended(status) && heartbeatAt < before && live.has(projectId) && !half.has(projectId),
  );
  return [
    ...(await checkDeletions(
      tasks.filter(({ projectId }) => !live.has(projectId)),
      at,
    )),
    ...((await findDrift(userId, at)) ? [{ code: "statistics_drifted" } as const] : []),
    ...counted("tasks_silent", silent.length, { minutes: silentMinutes }),
    ...unfinished.map(({ name }) => ({ code: "import_unfinished", fields: { name } }) as const),
  ];
}

/** Tasks whose project is in no list: it is being erased, or it is missing. */
async function checkDeletions(tasks: readonly Task[], at: Date): Promise<Complaint[]> {
  const gone = [...new Set(tasks.map(({ projectId }) => projectId))];
  const tombstones = await sideBySide(gone, findTombstone);
  const erasing = tombstones.flatMap((tombstone) => (tombstone ? [Date.parse(tombstone.erasingAt)] : []));
  const late = erasing.filter((since) => at.getTime() - since > erasureHours * 3_600_000).length;
  // The index of projects lags, so one that is in no list may still be there.
  const unexplained = gone.filter((_, index) => tombstones[index] === null);
  const there = await readProjects(unexplained);
  const missing = new Set(unexplained.filter((id) => !there.has(id)));
  return [
    ...counted("tasks_orphaned", tasks.filter(({ projectId }) => missing.has(projectId)).length),
    ...counted("deletion_failing", late),
    ...counted("deletion_running", erasing.length - late),
  ];
}

/** Whether what the user has entered can still be opened. */
export async function checkSecrets(config: UserConfig | null, userId: string): Promise<Complaint[]> {
  const values = Object.entries({ ...said(config?.llmConfig ?? {}), ...said(config?.otherConfig ?? {}) });
  const found: Complaint[] = [];
  for (const [field, stored] of values.filter(([name]) => isSecretField(name))) {
    try {
      await openSecret(String(stored), { userId, field });
    } catch (error) {
      // Anything else is trouble of KMS, and the next field would meet it as well.
      if (!isSluiceError(error, "secret_unreadable")) return [...found, { code: "secrets_key_unusable" }];
      found.push({ code: "secret_unreadable", fields: { field } });
    }
  }
  return found;
}

const counted = (code: Complaint["code"], count: number, fields: Complaint["fields"] = {}): Complaint[] =>
  count === 0 ? [] : [{ code, fields: { ...fields, count } }];
