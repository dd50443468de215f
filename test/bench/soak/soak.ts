import { setTimeout } from "node:timers/promises";
import { readRun } from "../../../functions/runs/read-run.ts";
import { anonymousTenant } from "../../../functions/runs/run.ts";
import { runIdOf } from "../../../functions/runs/run-name.ts";
import { closeRun, ensureRun } from "../../../functions/runs/run-store.ts";
import { verifyRun } from "../../../functions/runs/verify-run.ts";
import { cuttingLine } from "../../containers/cutting-line.ts";
import { randomFrom } from "../../support/kill-points.ts";
import { MovingProgram } from "./moving-program.ts";
import { nameOfItem } from "./soak-item.ts";
import { type ProducerPlan, Promises, produce } from "./soak-producer.ts";
import { readToEnd } from "./soak-reader.ts";

export interface SoakOptions {
  readonly seconds: number;
  /** Between two ends of a program, on average. */
  readonly restartSeconds: number;
  readonly seed: number;
  /** Told now and then how it goes. */
  readonly onProgress?: (progress: SoakProgress) => void;
  readonly progressSeconds?: number;
}

export interface SoakProgress {
  readonly seconds: number;
  readonly acknowledged: number;
  readonly kills: number;
  readonly drains: number;
  readonly cuts: number;
  readonly learnerMiB: number;
  readonly actorMiB: number;
}

export interface SoakResult extends SoakProgress {
  readonly answers: Readonly<Record<string, number>>;
  readonly refused: number;
  /** What is not as it was promised; empty when all is well. */
  readonly defects: readonly string[];
}

const runs = ["soak-a", "soak-b"] as const;
const readersPerRun = 2;

/**
 * Lets producers send to a learner, over lines that break, whose process is killed now and then, with readers at an actor that goes down
 * too; then compares what the log holds with what producers were told and with what each reader got. The table and the buckets are those that
 * the environment names.
 */
export async function soak({ seconds, restartSeconds, seed, ...options }: SoakOptions): Promise<SoakResult> {
  const randomOf = (part: number) => randomFrom(seed * 1000 + part);
  for (const run of runs) await ensureRun(anonymousTenant, run, new Date());
  const learner = await MovingProgram.start("learner");
  const actor = await MovingProgram.start("actor");
  const [cutsToLearner, cutsToActor] = [randomOf(1), randomOf(2)];
  const toLearner = await cuttingLine(
    () => learner.port,
    () => 1000 + cutsToLearner() * 30_000,
  );
  const toActor = await cuttingLine(
    () => actor.port,
    () => 5000 + cutsToActor() * 1_000_000,
  );
  const promises = new Promises();
  const ends = { kills: 0, drains: 0 };
  const begun = performance.now();
  const progress = (): SoakProgress => ({
    seconds: Math.round((performance.now() - begun) / 1000),
    acknowledged: promises.count,
    ...ends,
    cuts: toLearner.cuts + toActor.cuts,
    learnerMiB: Math.round(learner.residentMiB),
    actorMiB: Math.round(actor.residentMiB),
  });
  const { onProgress, progressSeconds = 60 } = options;
  const telling = onProgress && setInterval(() => onProgress(progress()), progressSeconds * 1000);
  const stop = new AbortController();
  try {
    const producing = producers(toLearner.port, randomOf).map((plan) => produce(plan, promises, stop.signal));
    const reading = runs.flatMap((run, index) =>
      Array.from({ length: readersPerRun }, (_, n) =>
        readToEnd(run, toActor.port, randomOf(20 + index * readersPerRun + n)),
      ),
    );
    const working = Promise.all([...producing, ...reading]);
    // What goes wrong with one of them ends all of it; otherwise the readers wait for the runs to be closed.
    await Promise.race([working, disturb(learner, actor, ends, { seconds, restartSeconds, random: randomOf(3) })]);
    stop.abort();
    await Promise.race([working, Promise.all(producing)]);
    for (const run of runs) await closeRun(runIdOf(anonymousTenant, run), new Date());
    await working;
    const last = progress();
    const read = await Promise.all(reading);
    const defects: string[] = [];
    for (const [index, run] of runs.entries())
      defects.push(...(await defectsOf(run, promises, read.slice(index * readersPerRun, (index + 1) * readersPerRun))));
    return { ...last, answers: promises.answers, refused: promises.refused.size, defects };
  } finally {
    stop.abort();
    clearInterval(telling);
    toLearner.close();
    toActor.close();
    await Promise.all([learner.kill(), actor.kill()]);
  }
}

function producers(port: number, randomOf: (part: number) => () => number): ProducerPlan[] {
  return runs.flatMap((run, index) => [
    { name: `one${index}`, run, by: "number" as const, atOnce: 1, port, random: randomOf(10 + index) },
    { name: `few${index}`, run, by: "number" as const, atOnce: 4, port, random: randomOf(12 + index) },
    { name: `key${index}`, run, by: "key" as const, atOnce: 3, port, random: randomOf(14 + index) },
  ]);
}

/** Ends one of the programs again and again, at least once, mostly without a warning. */
async function disturb(
  learner: MovingProgram,
  actor: MovingProgram,
  ends: { kills: number; drains: number },
  { seconds, restartSeconds, random }: { seconds: number; restartSeconds: number; random: () => number },
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  do {
    await setTimeout(Math.min(restartSeconds * 2 * random() * 1000, until - performance.now()));
    const isWarned = random() < 0.25;
    ends[isWarned ? "drains" : "kills"] += 1;
    await (random() < 0.2 ? actor : learner).restart(isWarned ? "SIGTERM" : "SIGKILL");
  } while (performance.now() < until);
}

/** Compares one run with what was promised of it. */
async function defectsOf(run: string, promises: Promises, read: readonly string[][]): Promise<string[]> {
  const runId = runIdOf(anonymousTenant, run);
  const acknowledged = promises.ofRun(run);
  const defects: string[] = [];
  const inLog = new Map<string, number>();
  const numbers = new Map<string, number>();
  const { items } = await readRun(runId, "earliest", { isLive: false });
  for await (const { offset, payload, producer: sequenced } of items) {
    const name = nameOfItem(payload);
    const [producer = "", number] = name.split(":");
    if (offset !== inLog.size) defects.push(`${run}: offset ${offset} follows ${inLog.size - 1}`);
    if (inLog.has(name)) defects.push(`${run}: ${name} is at ${inLog.get(name)} and at ${offset}`);
    if (acknowledged.get(name) !== offset)
      defects.push(`${run}: ${name} is at ${offset}, acknowledged at ${acknowledged.get(name)}`);
    if (promises.refused.has(name)) defects.push(`${run}: ${name} is in the log and was refused`);
    // Keys say nothing about order.
    if (sequenced && Number(number) <= (numbers.get(producer) ?? 0))
      defects.push(`${run}: ${name} is behind number ${numbers.get(producer)}`);
    numbers.set(producer, Number(number));
    for (const [reader, names] of read.entries())
      if (names[offset] !== name)
        defects.push(`${run}: reader ${reader} got ${names[offset]} at ${offset} and not ${name}`);
    inLog.set(name, offset);
  }
  for (const name of acknowledged.keys())
    if (!inLog.has(name)) defects.push(`${run}: ${name} was acknowledged and is not in the log`);
  for (const [reader, names] of read.entries())
    if (names.length !== inLog.size)
      defects.push(`${run}: reader ${reader} got ${names.length} of ${inLog.size} items`);
  const verified = await verifyRun(runId);
  defects.push(...verified.defects.map(({ offset, problem }) => `${run}: offset ${offset}: ${problem}`));
  return defects;
}
