import type { FileArtefact } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { itself } from "../web/web-record.ts";
import type { PlacedCandidate } from "./link.ts";
import type { Modules } from "./modules.ts";
import { WebFunctions } from "./web-functions.ts";

/** The control of a function that answers administrators only. */
const administrator = "administrator";

/**
 * What only an administrator can send is told for less by rules that say so: whoever sets the application up says anyway what it connects to.
 * Asked is the function that the input comes into, with its class and what decorates it.
 */
export function administered(
  catalogue: Catalogue,
  artefacts: readonly FileArtefact[],
  modules: Modules,
  all: readonly PlacedCandidate[],
): readonly PlacedCandidate[] {
  const severityOf = ({ candidate }: PlacedCandidate) => catalogue.rules.get(candidate.ruleId)?.byAdministrators;
  if (!all.some(severityOf)) return all;
  const byPath = new Map(artefacts.flatMap((file) => (file.link.web ? [[file.coverage.path, file]] : [])));
  const functions = new WebFunctions(modules, [...byPath.values()]);
  return all.map((placed) => {
    const severity = severityOf(placed);
    const file = severity && byPath.get(placed.trace[0]?.path ?? "");
    if (!file || !severity) return placed;
    const isTheirs = entrancesOf(file, placed).some((name) =>
      functions.reached(file, name).controls.has(administrator),
    );
    return isTheirs ? { ...placed, candidate: { ...placed.candidate, severity } } : placed;
  });
}

/**
 * The function that the input comes into, and its class: that of the finding, or where it comes from another function the route around it.
 * What one handler of a file leaves for another is a parameter of the first as a rule, as frameworks that inject pass it.
 */
function entrancesOf(file: FileArtefact, { path, candidate, trace }: PlacedCandidate): string[] {
  const [input] = trace;
  if (!input) return [];
  const before = (file.link.web?.routes ?? []).filter(({ startLine }) => startLine <= input.startLine);
  const nearest = before.reduce<(typeof before)[number] | null>(
    (last, route) => (last && last.startLine > route.startLine ? last : route),
    null,
  );
  const around = nearest?.handlers.filter((handler) => handler === `#${nearest.handler}`) ?? [];
  const isElsewhere = trace.some((step) => step.path !== path);
  if (isElsewhere || (around.length > 0 && isParameter.test(input.code))) return around.flatMap(withClass);
  return withClass(`#${candidate.symbol.replace(/\/\d+(?=\.|$)/g, "")}`);
}

/** A function, and the class that it is a method of. */
function withClass(name: string): string[] {
  const owner = name.slice(0, Math.max(name.lastIndexOf("."), 0));
  return [name, ...(owner ? [`${owner}${itself}`] : [])];
}

/** `form: SettingsForm`, `address=""`: whatever else is input is read off something. */
const isParameter = /^\w+\s*(?:[:=]|$)/;
