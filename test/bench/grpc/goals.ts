import type { Cell } from "../grpc.ts";
import { durableName, memoryName, pythonName } from "./servers.ts";

/** What ours with `memory` has to reach of the Python server, with most messages at once; 20 MB are measured on a long line. */
const goals = [
  { bytes: 1000, isFar: false, ratio: 1.5 },
  { bytes: 100_000, isFar: false, ratio: 0.9 },
  { bytes: 1_000_000, isFar: false, ratio: 0.9 },
  { bytes: 20_000_000, isFar: true, ratio: 0.9 },
];
const streamGoal = 5;
const durableGoal = 0.5;

/** Prints which goals were reached. @param streams items per second by server */
export function judge(cells: readonly Cell[], streams: ReadonlyMap<string, number>): void {
  const rows: Record<string, object> = {};
  const add = (what: string, goal: number, ours?: number, other?: number) => {
    if (ours === undefined || other === undefined) return;
    const ratio = ours / other;
    rows[what] = { ratio: Math.round(ratio * 100) / 100, goal, reached: ratio >= goal ? "yes" : "NO" };
  };
  for (const client of new Set(cells.map((cell) => cell.client)))
    for (const { bytes, isFar, ratio } of goals) {
      const fitting = cells.filter((cell) => cell.client === client && cell.bytes === bytes && cell.isFar === isFar);
      const most = Math.max(...fitting.map(({ concurrency }) => concurrency));
      const of = (name: string) => fitting.find((one) => one.concurrency === most && one.server === name)?.perSecond;
      const load = `${bytes / 1000} KB${isFar ? " far" : ""}, client ${client}`;
      add(`${load}: memory / Python`, ratio, of(memoryName), of(pythonName));
      add(`${load}: durable / memory`, durableGoal, of(durableName), of(memoryName));
    }
  add("StreamTransition / Python", streamGoal, streams.get(memoryName), streams.get(pythonName));
  console.log("\nGoals");
  console.table(rows);
}
