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
