import { operation } from "../platform/operation.ts";
import { StatisticsView, statisticsView, zero } from "./statistics.ts";
import { readStatistics } from "./statistics-store.ts";

export const readProjectStats = operation(
  {
    method: "GET",
    path: "/projects/stats",
    summary: "Count the caller's projects, tasks and issues",
    auth: "user",
    success: StatisticsView,
    failures: [],
    grants: { reads: ["statistics"] },
  },
  async ({ caller }) => statisticsView((await readStatistics(caller.id)) ?? zero),
);
