import { resolve } from "node:path";
import { anonymousTenant } from "../../../functions/runs/run.ts";
import { runIdOf } from "../../../functions/runs/run-name.ts";
import { findRun } from "../../../functions/runs/run-store.ts";
import type { Job } from "./load.ts";
import { type ProcessUsage, SpeakingProcess } from "./speaking-process.ts";

/** A server under measurement. */
export interface Subject {
  readonly name: string;
  readonly protocol: Job["protocol"];
  readonly port: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly usage: ProcessUsage;
  /** How many messages it has by its own account. @param expected it may wait a while until there are so many */
  count(expected: number): Promise<number>;
}

export interface Subjects {
  readonly all: readonly Subject[];
  stop(): Promise<void>;
}

export const pythonName = "Python grpcio";
export const memoryName = "ours, memory";
export const durableName = "ours, durable";
/** What ours writes to with `memory`; streams are read from it too. */
export const runOf = (name: string): string => name.replace(/\W+/g, "-");

const here = (file: string) => resolve(import.meta.dirname, file);

/** Starts everything that is compared. @param python an interpreter with grpcio, or null */
export async function startSubjects(python: string | null): Promise<Subjects> {
  const learner = await startProgram("learner");
  const speaking = [
    ...(python ? [await speakingSubject(pythonName, "grpc", [python, here("python_server.py")])] : []),
    await speakingSubject("stock grpc-js", "grpc", [process.execPath, here("stock-server.ts")]),
    await speakingSubject("TCP (floor)", "tcp", [process.execPath, here("tcp-server.ts")]),
  ];
  const ours = (["memory", "durable"] as const).map((ack): Subject => {
    const name = `ours, ${ack}`;
    const metadata = { "x-hil-run": runOf(name), "x-hil-ack": ack };
    const { port, process } = learner;
    return { name, protocol: "grpc", port, metadata, usage: process.usage, count: (n) => storedCount(runOf(name), n) };
  });
  return {
    all: [...ours, ...speaking.map(({ subject }) => subject)],
    stop: async () => void (await Promise.all([learner, ...speaking].map(({ process }) => process.kill()))),
  };
}

/** One of our two programs, with the storage that the environment names. */
export async function startProgram(name: "learner" | "actor"): Promise<{ process: SpeakingProcess; port: number }> {
  const command = [process.execPath, here(`../../../containers/${name}/main.ts`)];
  const started = new SpeakingProcess(command, { ...process.env, GRPC_PORT: "0" });
  for (;;) {
    const port = /listens on port (\d+)$/.exec(await started.line())?.[1];
    if (port) return { process: started, port: Number(port) };
  }
}

async function speakingSubject(name: string, protocol: Job["protocol"], command: readonly string[]) {
  const process = new SpeakingProcess(command);
  const port = Number(await process.line());
  const count = async () => Number(await process.ask("count"));
  const subject: Subject = { name, protocol, port, metadata: {}, usage: process.usage, count };
  return { process, subject };
}

/** What is acknowledged from memory is stored a little later. */
const storingMsMax = 60_000;

/** By the index of the log, which is what counts, and not by what the learner says. */
async function storedCount(runName: string, expected: number): Promise<number> {
  for (const until = Date.now() + storingMsMax; ; ) {
    const head = (await findRun(runIdOf(anonymousTenant, runName)))?.head ?? 0;
    if (head === expected || Date.now() > until) return head;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
