import { SluiceError } from "../platform/errors.ts";
import type { ReviewReason } from "./review-result.ts";
import { ReviewStopped } from "./review-stopped.ts";
import type { Task } from "./task.ts";
import { changeTask, findTask } from "./task-store.ts";

/** How old news of the task may be before a call. A cancelled task is refused at the reservation as well, at once. */
const lookEveryMs = 1_000;
/** A scan has a day from when it begins to run; what was found by then should be concluded before. */
const reviewHoursMax = 22;

/** Keeps the batches of a scan informed: one that learns that calls are of no use tells all others. */
export class ReviewWatch {
  readonly #task: Pick<Task, "id" | "attempt" | "startedAt">;
  readonly #now: () => Date;
  #looked = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  #stopped: ReviewStopped | null = null;

  constructor(task: Pick<Task, "id" | "attempt" | "startedAt">, now: () => Date) {
    this.#task = task;
    this.#now = now;
  }

  /** @throws ReviewStopped; SluiceError task_superseded */
  async mayGoOn(): Promise<void> {
    if (this.#stopped) throw this.#stopped;
    const at = this.#now().getTime();
    if (at - this.#looked >= lookEveryMs) {
      this.#looked = at;
      this.#looking = this.#look();
    }
    await this.#looking;
  }

  /** Tells every batch of the scan; the first reason counts. @throws SluiceError task_superseded */
  async stop(reason: ReviewReason): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = new ReviewStopped(reason);
    const { id, attempt } = this.#task;
    await changeTask(id, { from: ["running"], attempt, set: { reviewStopped: reason } });
  }

  async #look(): Promise<void> {
    const task = await findTask(this.#task.id);
    if (task?.status !== "running" || task.attempt !== this.#task.attempt) throw new SluiceError("task_superseded");
    if (task.reviewStopped) throw new ReviewStopped(task.reviewStopped as ReviewReason);
    const begun = Date.parse(task.startedAt ?? task.createdAt);
    if (this.#now().getTime() - begun > reviewHoursMax * 3_600_000) throw new ReviewStopped("time_limit");
  }
}
