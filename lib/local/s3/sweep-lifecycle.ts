import type { Bucket, LifecycleRule } from "./bucket.ts";
import { rangeEnd } from "./list-page.ts";
import { commit, type Store } from "./store.ts";
import type { Version } from "./version.ts";

const dayMs = 24 * 3600 * 1000;

/** Objects removed in one transaction, so that a large sweep does not hold up other callers. */
const batchSize = 500;

/** Removes what the lifecycle rules of a bucket say has had its time. Safe to repeat, and to break off anywhere. */
export async function sweepLifecycle(bucket: Bucket, store: Store): Promise<void> {
  for (const rule of bucket.lifecycle ?? []) {
    await expireCurrent(bucket, rule, store);
    await expireNoncurrent(bucket, rule, store);
    await dropLoneMarkers(bucket, rule, store);
    await abortUploads(bucket, rule, store);
  }
  await forgetCompletedUploads(bucket, store);
}

async function expireCurrent({ name, versioning }: Bucket, rule: LifecycleRule, store: Store): Promise<void> {
  if (rule.expirationDays === undefined) return;
  const age = { since: "modified", before: agedBefore(store.now(), rule.expirationDays) } as const;
  await inBatches(
    store,
    () => store.objects.agedVersions(name, ...rangeOf(rule), age, batchSize),
    (version) =>
      versioning === "Off"
        ? store.objects.remove(version)
        : store.objects.addMarker(version.bucket, version.key, store.now()).freed,
  );
}

async function expireNoncurrent({ name }: Bucket, rule: LifecycleRule, store: Store): Promise<void> {
  if (rule.noncurrentDays === undefined) return;
  const age = { since: "superseded", before: agedBefore(store.now(), rule.noncurrentDays) } as const;
  await inBatches(
    store,
    () => store.objects.agedVersions(name, ...rangeOf(rule), age, batchSize),
    (version) => store.objects.remove(version),
  );
}

async function dropLoneMarkers({ name }: Bucket, rule: LifecycleRule, store: Store): Promise<void> {
  if (!rule.expiredObjectDeleteMarker) return;
  await inBatches(
    store,
    () => store.objects.loneMarkers(name, ...rangeOf(rule), batchSize),
    (version) => store.objects.remove(version),
  );
}

async function abortUploads({ name }: Bucket, rule: LifecycleRule, store: Store): Promise<void> {
  if (rule.abortMultipartDays === undefined) return;
  const before = agedBefore(store.now(), rule.abortMultipartDays);
  for (const upload of store.uploads.aged(name, ...rangeOf(rule), before, "open")) {
    await commit(store, [], () => ({ freed: store.uploads.abort(upload.id) }));
  }
}

/** A completion is remembered for the client that lost its answer; after a day nobody asks again. */
async function forgetCompletedUploads({ name }: Bucket, store: Store): Promise<void> {
  const before = new Date(store.now().getTime() - dayMs);
  const all = rangeOf({});
  const done = store.uploads.aged(name, ...all, before, "completed");
  await commit(store, [], () => ({ freed: done.flatMap((upload) => store.uploads.abort(upload.id)) }));
}

async function inBatches(store: Store, find: () => Version[], remove: (version: Version) => string[]): Promise<void> {
  for (let aged = find(); aged.length > 0; aged = find()) {
    await commit(store, [], () => ({ freed: aged.flatMap(remove) }));
  }
}

/**
 * What is from before this moment is older than `days` days. An age is counted to the midnight after it is reached, so at
 * any time of a day the limit is that day's midnight.
 */
function agedBefore(now: Date, days: number): Date {
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs;
  return new Date(midnight - days * dayMs);
}

function rangeOf({ prefix = "" }: LifecycleRule): [from: Buffer, to: Buffer | null] {
  const from = Buffer.from(prefix);
  return [from, rangeEnd(from)];
}
