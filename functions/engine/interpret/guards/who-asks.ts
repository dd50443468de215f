import { remembered } from "../../catalogue/remembered.ts";
import type { Expression } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame } from "../run.ts";
import { original } from "./address-parts.ts";

/** Of a message between windows: who sent it. */
export const isOrigin = (operand: Expression): boolean =>
  operand.kind === "field" && /^(origin|source)$/.test(operand.name);

/** Of an address: what it is opened with, also by way of a variable: `const { protocol } = new URL(url)`. */
export function isScheme(frame: Frame, operand: Expression): boolean {
  const named = original(frame, operand);
  return named.kind === "field" && named.name === "protocol";
}

/** Of a message of a chat: `message.from_user.id`, also by way of a variable or as text. */
export function isSender(frame: Frame, operand: Expression): boolean {
  const named = operand.kind === "variable" ? frame.scope.binding(operand.name)?.origins.get(operand.name) : operand;
  const asked = named?.kind === "call" && named.args.length === 1 ? named.args[0]?.value : named;
  return asked !== undefined && asked.kind !== "variable" && namesSender(accessPath(asked) ?? "");
}

const namesSender = remembered((path) =>
  /\.(from|from_user|chat|author|sender|user|effective_(user|chat))\.(id|username)$|\.(chat|sender)_id$/.test(path),
);
