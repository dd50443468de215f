import { type ConfigNode, entryOf } from "./config-node.ts";

/** Compose takes `environment` as a map and as a list of `NAME=value`: rules see the map. */
export function mapEnvironments(root: ConfigNode): void {
  for (const service of entryOf(root, "services")?.entries ?? []) {
    const environment = entryOf(service, "environment");
    if (!environment) continue;
    for (const [i, item] of environment.entries.entries()) {
      const [, key, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(item.value ?? "") ?? [];
      if (key !== undefined && /^\d+$/.test(item.key)) environment.entries[i] = { ...item, key, value: value ?? null };
    }
  }
}

/** A workflow names its events in a scalar, a list or a map: rules find them as keys of `@events`. */
export function addEvents(root: ConfigNode): void {
  const on = entryOf(root, "on") ?? entryOf(root, "true");
  if (!on) return;
  const listed = on.value === null ? on.entries : [on];
  const entries = listed.map((event) => (event.value === null ? event : { ...event, key: event.value }));
  root.entries.push({ ...on, key: "@events", value: null, entries });
}

/** A variable of the environment that the runner writes into a script before a shell sees it. */
const writtenVariable = /\$\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}/g;

/**
 * Lets rules see what `${{ env.NAME }}` puts into the script of a step: under `@env`, with the value that the step, the job or the
 * workflow gives the variable, and the place where it is written.
 */
export function addWrittenVariables(root: ConfigNode): void {
  const ofWorkflow = variablesOf(root);
  // Aliases bring the same script back as often as they like.
  const seen = new Set<number>();
  for (const job of entryOf(root, "jobs")?.entries ?? []) {
    const ofJob = variablesOf(job);
    for (const step of entryOf(job, "steps")?.entries ?? []) {
      const variables = [variablesOf(step), ofJob, ofWorkflow];
      const scripts = [entryOf(step, "run"), entryOf(entryOf(step, "with"), "script")];
      const entries = scripts.flatMap((script) => {
        if (!script || seen.has(script.textStart)) return [];
        seen.add(script.textStart);
        return writtenInto(script, variables);
      });
      if (entries.length > 0) step.entries.push({ ...step, key: "@env", value: null, parent: step, entries });
    }
  }
}

const variablesOf = (node: ConfigNode): ReadonlyMap<string, ConfigNode> =>
  new Map((entryOf(node, "env")?.entries ?? []).map((variable) => [variable.key, variable]));

function writtenInto(script: ConfigNode, variables: readonly ReadonlyMap<string, ConfigNode>[]): ConfigNode[] {
  return [...(script.text ?? "").matchAll(writtenVariable)].flatMap(({ 0: text, 1: name = "", index }) => {
    const variable = variables.find((known) => known.has(name))?.get(name);
    const start = script.textStart + index;
    return variable ? [{ ...variable, parent: script, start, end: start + text.length, text, textStart: start }] : [];
  });
}
