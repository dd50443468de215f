import { randomUUID } from "node:crypto";
import { AwsError, type Json } from "../service.ts";
import { checkedArn, executionArn } from "./arns.ts";
import { announce, type Engine } from "./engine.ts";
import { payloadBytesMax } from "./failure.ts";
import { execute } from "./interpreter.ts";
import type { Execution } from "./records.ts";

/**
 * StartExecution. A Standard execution's name is taken for as long as it is remembered, 90 days; asking again with the
 * same input while it is open is the same request, and gets the same answer.
 * @throws AwsError StateMachineDoesNotExist, InvalidName, InvalidExecutionInput, ExecutionAlreadyExists, ...
 */
export function startExecution(engine: Engine, request: Json, owner?: { execution: number; path: string }): Execution {
  const machine = engine.store.machine(checkedArn(request.stateMachineArn, "stateMachine"));
  if (!machine) {
    throw new AwsError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${request.stateMachineArn}'`);
  }
  const name = checkedName(request.name ?? randomUUID());
  const input = checkedInput(request.input ?? "{}");
  const express = machine.type === "EXPRESS";
  const arn = executionArn(machine.arn, name, express ? randomUUID() : undefined);
  const before = engine.store.execution(arn);
  if (before) return sameRequest(before, input);
  const execution = engine.store.transaction(() => {
    return engine.store.addExecution({
      arn,
      name,
      machine: machine.arn,
      type: machine.type,
      definition: machine.definition,
      roleArn: machine.roleArn,
      mapRun: null,
      items: 1,
      status: "RUNNING",
      input,
      output: null,
      error: null,
      cause: null,
      startedAt: engine.clock.now(),
      stoppedAt: null,
      owner: owner?.execution ?? null,
      ownerPath: owner?.path ?? null,
    });
  }, "FULL");
  announce(engine, execution.id);
  void execute(engine, execution);
  return execution;
}

function sameRequest(before: Execution, input: string): Execution {
  if (before.status === "RUNNING" && before.input === input) return before;
  throw new AwsError("ExecutionAlreadyExists", `Execution Already Exists: '${before.arn}'`);
}

function checkedName(name: unknown): string {
  const forbidden = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]/;
  if (typeof name === "string" && name.length >= 1 && name.length <= 80 && !forbidden.test(name)) return name;
  throw new AwsError("InvalidName", `Invalid Name: '${String(name)}'`);
}

function checkedInput(input: unknown): string {
  if (typeof input !== "string") throw new AwsError("ValidationException", "The input must be a string of JSON.");
  if (Buffer.byteLength(input) > payloadBytesMax) {
    throw new AwsError(
      "ValidationException",
      `1 validation error detected: Value at 'input' failed to satisfy constraint: Member must have length less than or equal to ${payloadBytesMax}`,
    );
  }
  try {
    JSON.parse(input);
  } catch {
    throw new AwsError("InvalidExecutionInput", "Invalid State Machine Execution Input: the input is not JSON.");
  }
  return input;
}
