import type { EntryPoint } from "../../catalogue/catalogue.ts";
import type { Call } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import { calledInRoute } from "../validators/route-variables.ts";
import { arriving, tainted } from "../value.ts";
import type { Called } from "./called.ts";
import { handOver, targetOf } from "./handover.ts";

/** Routes with more variables than this are none. */
const variablesMax = 10;

/** `<name>`, `<path:name>` and `{name}` in the pattern of a route, but for numbers and identifiers. */
const variable = /[<{](?:(int|float|uuid|\w+)(?:\([^)]{0,80}\))?:)?([A-Za-z_]\w{0,80})(?::[^}>]{0,80})?[>}]/g;
const harmless = /^(int|float|uuid)$/;

/** `app.add_url_rule("/notes/<name>", view_func=notes.show)`: a view of another file is given what the pattern has variables for. */
export function handToRegistered(run: Run, call: Call, called: Called, { others }: EntryPoint): void {
  if (run.language !== "python" || others === null) return;
  const given = [...called.positional, ...called.named.values()];
  const targets = new Set(given.flatMap(({ paths }) => targetOf(run, null, paths) ?? []));
  if (targets.size === 0) return;
  const patterns = given.flatMap(({ constants }) => constants ?? []);
  const names = patterns.flatMap((pattern) => (typeof pattern === "string" ? variablesOf(pattern) : []));
  const variables = new Map(
    names.slice(0, variablesMax).map((name) => {
      const came = [arriving(run.source(others, call), call)];
      return [name, tainted(calledInRoute(came, name))];
    }),
  );
  if (variables.size > 0) for (const target of targets) handOver(run, target, [], variables, call);
}

const variablesOf = (pattern: string): string[] =>
  [...pattern.matchAll(variable)].flatMap(([, kind = "", name = ""]) => (harmless.test(kind) ? [] : [name]));
