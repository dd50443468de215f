import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { findUserConfig } from "../../config/user-config-store.ts";
import type { ReviewInstructions, ReviewUnit } from "../../engine/review/review.ts";
import { reviewUnit } from "../../engine/review/review-unit.ts";
import { ModelFailure } from "../../llm/model.ts";
import { applicationKey } from "../../platform/application-key.ts";
import { environment } from "../../platform/environment.ts";
import { SluiceError } from "../../platform/errors.ts";
import { getJson, getObject, putJson } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { findProject } from "../../projects/project-store.ts";
import { spendingGrants } from "../../spending/spending-store.ts";
import { BatchReview, type BatchReviewProps } from "../batch-review.ts";
import { CallSlots } from "../call-slots.ts";
import { CarefulAsking, OutOfTime, roomWaitsMs } from "../careful-asking.ts";
import { type ReviewModel, spread } from "../instructions.ts";
import { readInstructions } from "../instructions-store.ts";
import { ReviewCache } from "../review-cache.ts";
import { type BatchResult, stopsReview } from "../review-result.ts";
import { ReviewWatch } from "../review-watch.ts";
import { ScanPurse } from "../scan-purse.ts";
import { actorOf, scanKeys, type Task } from "../task.ts";
import { recordReviewBatch } from "../task-progress-store.ts";
import { findTask } from "../task-store.ts";
import { Attempt } from "./plan-scan.ts";

/** Permanent deletion counts on it that nothing writes a quarter of an hour later. */
const functionSeconds = 840;
/** For writing results down. */
const reserveMs = 30_000;

/** The function's time is over and units are left. The workflow runs the batch again; what is finished is not done twice. */
class ReviewUnfinished extends Error {
  constructor() {
    super("units are left for another run");
    this.name = "ReviewUnfinished";
  }
}

export const reviewBatch = workflowTask(
  {
    summary: "Has the model look at the units of one batch, several at a time, and books what each call costs",
    input: Attempt.extend({ batch: z.number().int().min(0) }),
    grants: {
      reads: ["task", "project", "userConfig", "applicationKey"],
      writes: ["task", ...spendingGrants.writes],
      checks: spendingGrants.checks,
      appends: ["applicationKey"],
      results: { reads: ["scans/*", "reviews/*"], writes: ["scans/*", "reviews/*"] },
      secrets: ["decrypt"],
      bedrock: true,
    },
    memoryMiB: 1024,
    timeoutSeconds: functionSeconds,
  },
  async ({ task_id, attempt, batch: number }, now) => {
    const end = now().getTime() + functionSeconds * 1000 - reserveMs;
    const task = await findTask(task_id);
    if (task?.status !== "running" || task.attempt !== attempt) throw new SluiceError("task_superseded");
    const bucket = environment().RESULTS_BUCKET;
    const keys = scanKeys(task_id, attempt);
    const instructions = await readInstructions(task_id, attempt);
    const units = unitsIn(await getObject({ bucket, key: keys.reviewBatch(number) }));
    if (!instructions.model) throw new Error(`task ${task_id} has a review without a model`);
    const result = { bucket, key: keys.reviewResult(number) };
    const done = (await getJson<BatchResult>(result)) ?? {};

    const { model, alternative } = instructions;
    const watch = new ReviewWatch(task, now);
    const slots = spread(instructions.concurrency).workers;
    const reviewer = await reviewers(task, instructions.review, {
      watch,
      end,
      now,
      slots: new CallSlots({ slots, gapMs: instructions.gapMs, sleep }),
    });
    const batch = new BatchReview({
      units,
      done,
      // Some more than there are slots: their answers are booked and kept while others wait for the model.
      workers: Math.ceil(slots * 1.5),
      review: await reviewer(model, { alternative: false }),
      ...keeping(new ReviewCache(actorOf(task), model, instructions)),
      alternative: alternative && {
        model: { provider: alternative.provider, model: alternative.model },
        review: await reviewer(alternative, { alternative: true }),
        ...keeping(new ReviewCache(actorOf(task), alternative, instructions, model)),
      },
      stop: (reason) => watch.stop(reason),
    });
    try {
      await batch.run();
    } finally {
      await putJson(bucket, result.key, batch.results);
    }
    if (!batch.finished) throw new ReviewUnfinished();
    const files = new Set(units.map((unit) => unit.path)).size;
    await recordReviewBatch(task_id, attempt, number, files, now());
  },
);

const keeping = (cache: ReviewCache): Pick<BatchReviewProps, "find" | "keep"> => ({
  find: (unit) => cache.find(unit),
  keep: (unit, outcome) => cache.keep(unit, outcome),
});

/** How a unit comes to its review by a model, with the key and the caps of who pays as they are now. */
async function reviewers(
  task: Task,
  instructions: ReviewInstructions,
  { watch, slots, end, now }: { watch: ReviewWatch; slots: CallSlots; end: number; now: () => Date },
): Promise<(model: ReviewModel, of: { alternative: boolean }) => Promise<BatchReviewProps["review"]>> {
  const userId = actorOf(task);
  const [config, project, key] = await Promise.all([
    findUserConfig(userId),
    findProject(task.projectId),
    applicationKey("review-fence"),
  ]);
  const fenceKey = createHmac("sha256", key).update(userId).digest("hex");
  return async (model, { alternative }) => {
    const purse = await ScanPurse.open(task, model, { config, project, now, alternative });
    const asking = new CarefulAsking({
      call: (prompt, answered) =>
        purse.call(prompt, answered).catch(async (error) => {
          // While the slot is still held: the next in line must not ask the same in vain. What is wrong with the other model's account
          // is no reason to end the review.
          if (!alternative && error instanceof ModelFailure && stopsReview.has(error.category))
            await watch.stop(error.category);
          throw error;
        }),
      slots,
      roomWaitsMs,
      mayGoOn: () => watch.mayGoOn(),
      until: new Date(end - purse.callMs),
      now,
      sleep,
      random: Math.random,
    });
    return async (unit) => {
      // A unit may need a second call, and what was paid for the first would be lost.
      if (now().getTime() > end - 2 * purse.callMs) throw new OutOfTime("no time for another unit");
      return reviewUnit(unit, instructions, (prompt) => asking.ask(prompt), { fenceKey });
    };
  };
}

function unitsIn(batch: Buffer | null): ReviewUnit[] {
  if (!batch) throw new Error("a batch is missing");
  const lines = batch.toString("utf8").split("\n");
  // Batches of a plan that was made before there were excerpts have none.
  return lines.map((line) => ({ functions: [], excerpts: [], ...JSON.parse(line) }) as ReviewUnit);
}
