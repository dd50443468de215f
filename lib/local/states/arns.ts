import { AwsError, localAccount } from "../service.ts";

const prefix = `arn:aws:states:${localAccount.region}:${localAccount.account}`;

export const machineArn = (name: string): string => `${prefix}:stateMachine:${name}`;

/** Executions of Express machines may share a name; a run id tells them apart. */
export const executionArn = (machine: string, name: string, runId?: string): string =>
  `${prefix}:${runId === undefined ? "execution" : "express"}:${nameIn(machine)}:${name}${runId === undefined ? "" : `:${runId}`}`;

/** `machine/label:uuid`, as Map Runs and the machines of their children are called. */
export const mapRunArn = (machine: string, label: string, id: string): string =>
  `${prefix}:mapRun:${nameIn(machine)}/${label}:${id}`;

/** The name in a state machine's ARN; that of a Map Run's children is `machine/label`. */
export const nameIn = (machine: string): string => machine.split(":")[6] ?? "";

/** @throws AwsError InvalidArn */
export function checkedArn(arn: unknown, kind: "stateMachine" | "execution" | "mapRun"): string {
  const kinds = kind === "execution" ? "(execution|express)" : kind;
  if (typeof arn === "string" && new RegExp(`^arn:aws:states:[a-z0-9-]+:\\d{12}:${kinds}:\\S+$`).test(arn)) return arn;
  throw new AwsError("InvalidArn", `Invalid Arn: '${String(arn)}'`);
}
