import { pageName } from "../interpret/views/page.ts";
import type { ClassStatement } from "../ir/ir.ts";
import type { FunctionFacts } from "./function-facts.ts";
import type { Registered } from "./registration.ts";

/** What a node stands in. */
export interface Within {
  /** The functions around it, the innermost last. */
  functions: readonly FunctionFacts[];
  owner: { node: ClassStatement; facts: FunctionFacts } | null;
  /** What stands in front of all that is registered here, and where that lies. */
  group?: Registered & { path: string | null };
}

/** The name of the innermost function. What stands in no function has no name. */
export const symbolIn = ({ functions }: Within): string =>
  ([...(functions.at(-1)?.names ?? [])][0] ?? "").replace(pageName, "");

/** The class of the innermost method: what `this` means. */
export const classAround = ({ functions }: Within): string | null | undefined =>
  functions.findLast((facts) => facts.owner !== null)?.owner;
