import { spawnSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { resolve } from "node:path";
import { delayLine } from "./grpc/delay-line.ts";
import { judge } from "./grpc/goals.ts";
import type { Job, Sent } from "./grpc/load.ts";
import {
  durableName,
  memoryName,
  pythonName,
  runOf,
  type Subject,
  startProgram,
  startSubjects,
} from "./grpc/servers.ts";
import { SpeakingProcess } from "./grpc/speaking-process.ts";
import { streamRate } from "./grpc/stream-bench.ts";

const KB = 1000;
const roundTripMs = 10;

interface Load {
  readonly bytes: number;
  readonly concurrency: number;
  readonly isFar: boolean;
}

/** One server under one load from one client, in one round. */
interface Measured extends Sent {
  readonly ok: number;
  readonly cpuMicroseconds: number;
  readonly peakMiB: number;
}

/** What rounds came to: the median of each figure. */
export interface Cell extends Load {
  readonly client: string;
  readonly server: string;
  readonly perSecond: number;
}

const plans = {
  full: {
    seconds: 1,
    rounds: 3,
    loads: [KB, 100 * KB, 1000 * KB, 20_000 * KB].flatMap((bytes, size) =>
      [1, [16, 8, 4, 2][size] as number].flatMap((concurrency) =>
        [false, true].map((isFar) => ({ bytes, concurrency, isFar })),
      ),
    ),
  },
  quick: {
    seconds: 1,
    rounds: 3,
    loads: [
      { bytes: KB, concurrency: 16, isFar: false },
      { bytes: 1000 * KB, concurrency: 4, isFar: false },
      { bytes: 20_000 * KB, concurrency: 2, isFar: true },
    ],
  },
};

/** A cell ends early at this, which a fast server has in a second and a disk can take. */
const cellBytesMax = 400_000 * KB;

/**
 * `npm run bench -- grpc [--quick]`: our learner beside a Python server, grpc-js as it comes and plain TCP, in turns within one run, so that what
 * else the machine does falls on all of them. Ratios mean something; the figures are of this machine and of the embedded cloud, not of AWS.
 */
export default async function bench(args: string[] = []): Promise<void> {
  const plan = plans[args.includes("--quick") ? "quick" : "full"];
  const python = pythonWithGrpcio();
  const here = (file: string) => resolve(import.meta.dirname, "grpc", file);
  const cloud = new SpeakingProcess([process.execPath, here("cloud-process.ts")]);
  Object.assign(process.env, JSON.parse(await cloud.line()));
  const subjects = await startSubjects(python);
  const clients = {
    ...(python && { Python: new SpeakingProcess([python, here("python_client.py")]) }),
    "grpc-js": new SpeakingProcess([process.execPath, here("node-client.ts")]),
  };
  try {
    printLoad();
    await warmUp(subjects.all, clients["grpc-js"]);
    const cells: Cell[] = [];
    for (const load of plan.loads)
      for (const [client, process] of Object.entries(clients)) {
        const able = subjects.all.filter(({ protocol }) => protocol === "grpc" || client === "grpc-js");
        cells.push(...(await measureLoad(load, client, process, able, plan)));
      }
    judge(cells, await measureStreams(subjects.all, plan.rounds));
    printLoad();
  } finally {
    await Promise.all([...Object.values(clients).map((client) => client.kill()), subjects.stop()]);
    await cloud.end();
  }
}

/** Programs are compiled while they run, and the first thing stored loads half of the SDK: whoever is measured first would pay for it. */
async function warmUp(subjects: readonly Subject[], sender: SpeakingProcess): Promise<void> {
  for (const [bytes, seconds] of [
    [KB, 4],
    [1000 * KB, 1],
  ] as const)
    for (const subject of subjects) await measure({ bytes, concurrency: 8, isFar: false }, seconds, sender, subject);
}

/** Who shares the machine is felt most by servers that need several turns for an answer, so figures of a busy one say little. */
const printLoad = () =>
  console.log(`\nLoad of the machine: ${tenths(loadavg()[0] as number)} on ${availableParallelism()} cores`);

/** @returns null, and says so, where there is none */
function pythonWithGrpcio(): string | null {
  const python = process.env.PYTHON ?? "python3";
  if (spawnSync(python, ["-c", "import grpc"]).status === 0) return python;
  console.warn(`No comparison: ${python} has no grpcio (Debian: python3-grpcio; PYTHON names another one)`);
  return null;
}

async function measureLoad(
  load: Load,
  client: string,
  sender: SpeakingProcess,
  subjects: readonly Subject[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Cell[]> {
  const measured = new Map(subjects.map((subject) => [subject, [] as Measured[]]));
  for (let round = 0; round < rounds; round++)
    for (const [subject, results] of measured) results.push(await measure(load, seconds, sender, subject));
  const rows: Record<string, object> = {};
  const cells = [...measured].map(([{ name: server }, results]) => {
    const median = (figure: (one: Measured) => number) => medianOf(results.map(figure));
    const perSecond = median(({ ok, seconds }) => ok / seconds);
    rows[server] = {
      "msgs/s": Math.round(perSecond),
      "MB/s": tenths((perSecond * load.bytes) / 1_000_000),
      "p50 ms": tenths(median(({ p50Ms }) => p50Ms)),
      "p99 ms": tenths(median(({ p99Ms }) => p99Ms)),
      "CPU us/msg": Math.round(median(({ cpuMicroseconds }) => cpuMicroseconds)),
      "peak MiB": Math.round(Math.max(...results.map(({ peakMiB }) => peakMiB))),
      refused: results.reduce((sum, { ended, ok }) => sum + Object.values(ended).reduce((a, b) => a + b, 0) - ok, 0),
    };
    return { ...load, client, server, perSecond };
  });
  const of = (name: string) => cells.find(({ server }) => server === name)?.perSecond;
  for (const { server, perSecond } of cells) {
    const [python, memory] = [of(pythonName), of(memoryName)];
    Object.assign(rows[server] as object, {
      ...(python && { "of Python": hundredths(perSecond / python) }),
      ...(server === durableName && memory && { "of memory": hundredths(perSecond / memory) }),
    });
  }
  const { bytes, concurrency, isFar } = load;
  console.log(`\n${bytes / KB} KB, ${concurrency} at once, round trip ${isFar ? roundTripMs : 0} ms, client ${client}`);
  console.table(rows);
  return cells;
}

/** @throws Error when the server has not what the client was told that it has */
async function measure(load: Load, seconds: number, sender: SpeakingProcess, subject: Subject): Promise<Measured> {
  const line = load.isFar ? await delayLine(subject.port, roundTripMs / 2) : null;
  const before = await subject.count(counted.get(subject) ?? 0);
  subject.usage.forgetPeak();
  const cpuBefore = subject.usage.cpuSeconds;
  const { bytes, concurrency } = load;
  const { protocol, metadata } = subject;
  const messagesMax = Math.ceil(cellBytesMax / bytes);
  const job: Job = { port: line?.port ?? subject.port, protocol, metadata, bytes, concurrency, seconds, messagesMax };
  const sent = JSON.parse(await sender.ask(JSON.stringify(job))) as Sent;
  const ok = sent.ended.OK ?? 0;
  const count = await subject.count(before + ok);
  line?.close();
  if (count - before !== ok || ok === 0)
    throw new Error(`VOID: ${subject.name} has ${count - before} messages, its client was told OK ${ok} times`);
  counted.set(subject, count);
  const cpuMicroseconds = ((subject.usage.cpuSeconds - cpuBefore) * 1_000_000) / ok;
  return { ...sent, ok, cpuMicroseconds, peakMiB: subject.usage.peakMiB };
}

/** What each server had at the end of its last cell. */
const counted = new Map<Subject, number>();

const streamed = { bytes: KB, items: 20_000, readers: 4 };

/** Items per second to all readers together, by server. */
async function measureStreams(subjects: readonly Subject[], rounds: number): Promise<Map<string, number>> {
  const actor = await startProgram("actor");
  const sources = subjects.flatMap(({ name, port, protocol }) => {
    if (protocol !== "grpc" || name === durableName) return [];
    const asked = { "x-bench-items": String(streamed.items), "x-bench-bytes": String(streamed.bytes) };
    const ours = { "x-hil-run": runOf("streamed"), "x-hil-from": "earliest" };
    return [name === memoryName ? { name, port: actor.port, metadata: ours } : { name, port, metadata: asked }];
  });
  const rates = new Map(sources.map(({ name }) => [name, [] as number[]]));
  await fillRun(subjects.find(({ name }) => name === memoryName) as Subject);
  // The first two rounds are for warming up.
  for (let round = -2; round < rounds; round++)
    for (const { name, port, metadata } of sources) {
      const rate = await streamRate(port, metadata, streamed);
      if (round >= 0) rates.get(name)?.push(rate);
    }
  await actor.process.kill();
  const medians = new Map([...rates].map(([name, all]) => [name, medianOf(all)]));
  const python = medians.get(pythonName);
  console.log(
    `\nStreamTransition, ${streamed.bytes / KB} KB, ${streamed.readers} readers, each gets ${streamed.items} items`,
  );
  console.table(
    Object.fromEntries(
      [...medians].map(([name, rate]) => [
        name === memoryName ? "ours, from the log" : name,
        { "items/s": Math.round(rate), ...(python && { "of Python": hundredths(rate / python) }) },
      ]),
    ),
  );
  return medians;
}

async function fillRun({ port }: Subject): Promise<void> {
  const sender = new SpeakingProcess([process.execPath, resolve(import.meta.dirname, "grpc/node-client.ts")]);
  const metadata = { "x-hil-run": runOf("streamed"), "x-hil-ack": "memory" };
  const { bytes, items: messagesMax } = streamed;
  const job: Job = { port, protocol: "grpc", metadata, bytes, concurrency: 16, seconds: 600, messagesMax };
  const { ended } = JSON.parse(await sender.ask(JSON.stringify(job))) as Sent;
  if (ended.OK !== messagesMax) throw new Error(`the run to stream could not be filled: ${JSON.stringify(ended)}`);
  await sender.kill();
}

function medianOf(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const tenths = (figure: number) => Math.round(figure * 10) / 10;
const hundredths = (figure: number) => Math.round(figure * 100) / 100;
