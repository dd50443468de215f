import type { MapConfig } from "./map-config.ts";
import type { Execution, HistoryEvent, MapRun, Status } from "./records.ts";

/** Timestamps travel as seconds since 1970 in the JSON protocol. */
export const wireTime = (at: number | null): number | undefined => (at === null ? undefined : at / 1000);

/** An execution as DescribeExecution shows it. */
export function executionView(execution: Execution): Record<string, unknown> {
  const { arn, machine, name, status, input, output, error, cause, startedAt, stoppedAt } = execution;
  return defined({
    executionArn: arn,
    stateMachineArn: machine,
    name,
    status,
    startDate: wireTime(startedAt),
    stopDate: wireTime(stoppedAt),
    input,
    inputDetails: { included: true },
    output: output ?? undefined,
    outputDetails: output === null ? undefined : { included: true },
    error: error ?? undefined,
    cause: cause ?? undefined,
    redriveCount: execution.redrives,
    redriveDate: wireTime(execution.redrivenAt),
    ...redriveStatus(execution),
  });
}

/** Redrive is for Standard executions that did not succeed; children of a Map Run go with their parent. */
export function redriveStatus({ status, type, mapRun }: Execution): Record<string, string> {
  if (mapRun !== null) return { redriveStatus: status === "SUCCEEDED" ? "NOT_REDRIVABLE" : "REDRIVABLE_BY_MAP_RUN" };
  if (type === "STANDARD" && ["FAILED", "TIMED_OUT", "ABORTED"].includes(status))
    return { redriveStatus: "REDRIVABLE" };
  const why = { RUNNING: "RUNNING", SUCCEEDED: "SUCCEEDED" }[status as "RUNNING"] ?? status;
  return { redriveStatus: "NOT_REDRIVABLE", redriveStatusReason: `Execution is ${why} and cannot be redriven` };
}

/** Without the members that are undefined, as the wire has it. */
export const defined = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

const dataFields = new Set(["input", "output", "error", "cause", "parameters", "inputDetails", "outputDetails"]);

/** An event as GetExecutionHistory shows it, with or without the data that it carries. */
export function historyEventView({ id, at, type, previous, details }: HistoryEvent, withData: boolean): object {
  const withoutData = (key: string, value: unknown) => (dataFields.has(key) ? undefined : value);
  const event = { timestamp: wireTime(at), type, id, previousEventId: previous };
  return { ...event, ...JSON.parse(details, withData ? undefined : withoutData) };
}

interface ChildCount {
  readonly status: Status;
  readonly executions: number;
  readonly items: number;
}

/** A Map Run as DescribeMapRun shows it. */
export function mapRunView(mapRun: MapRun, executionArn: string, counts: readonly ChildCount[]): object {
  const { maxConcurrency, toleratedFailureCount, toleratedFailurePercentage } = JSON.parse(mapRun.config) as MapConfig;
  return defined({
    mapRunArn: mapRun.arn,
    executionArn,
    status: mapRun.status,
    startDate: wireTime(mapRun.startedAt),
    stopDate: wireTime(mapRun.stoppedAt),
    maxConcurrency,
    toleratedFailureCount: toleratedFailureCount ?? 0,
    toleratedFailurePercentage: toleratedFailurePercentage ?? 0,
    itemCounts: totals(counts, "items"),
    executionCounts: totals(counts, "executions"),
    redriveCount: mapRun.redrives,
    redriveDate: wireTime(mapRun.redrivenAt),
  });
}

function totals(counts: readonly ChildCount[], of: "items" | "executions"): Record<string, number> {
  const by = (status: Status) => counts.find((count) => count.status === status)?.[of] ?? 0;
  return {
    pending: by("PENDING"),
    running: by("RUNNING"),
    succeeded: by("SUCCEEDED"),
    failed: by("FAILED"),
    timedOut: by("TIMED_OUT"),
    aborted: by("ABORTED"),
    total: counts.reduce((sum, count) => sum + count[of], 0),
    resultsWritten: by("SUCCEEDED") + by("FAILED") + by("TIMED_OUT") + by("ABORTED"),
    failuresNotRedrivable: 0,
    pendingRedrive: 0,
  };
}
