import type { FunctionRecord, Reference } from "./web-record.ts";

/** Calls of calls that are looked into, inside one file. */
const depthMax = 4;
const callsMax = 12;

/** What is collected about a function or class while its file is walked. */
export class FunctionFacts {
  readonly names: Set<string>;
  /** The class that a method belongs to; what `this` means. */
  readonly owner: string | null;
  readonly controls = new Set<string>();
  readonly effects = new Set<string>();
  readonly calls = new Set<Reference>();

  constructor(name: string, owner: string | null) {
    this.names = new Set([name]);
    this.owner = owner;
  }
}

/** All functions of a file, each with what the functions of the file that it calls do. */
export function functionRecords(all: readonly FunctionFacts[], referred: ReadonlySet<Reference>): FunctionRecord[] {
  const byName = new Map<string, FunctionFacts>();
  for (const facts of all) for (const name of facts.names) if (!byName.has(name)) byName.set(name, facts);
  const called = ({ owner }: FunctionFacts, reference: Reference): FunctionFacts | undefined =>
    byName.get(reference.replace(/^#(this|self)\./, `${owner}.`).replace(/^#/, ""));
  return all.flatMap((facts) => {
    const reached = new Set([facts]);
    let last = [facts];
    for (let depth = 0; depth < depthMax && last.length > 0; depth++) {
      last = last.flatMap((from) =>
        [...from.calls].flatMap((reference) => {
          const to = reference.startsWith("#") ? called(from, reference) : undefined;
          return to && !reached.has(to) ? [to] : [];
        }),
      );
      for (const to of last) reached.add(to);
    }
    const union = (part: (from: FunctionFacts) => Iterable<string>) =>
      [...new Set([...reached].flatMap((from) => [...part(from)]))].sort();
    const controls = union((from) => from.controls);
    const effects = union((from) => from.effects);
    const calls = union((from) => [...from.calls].filter((reference) => !reference.startsWith("#"))).slice(0, callsMax);
    if (controls.length + effects.length + calls.length === 0) return [];
    // Anonymous functions are found by their place only where something refers to it.
    const names = [...facts.names].filter((name) => !name.endsWith(">") || referred.has(`#${name}`));
    return names.map((name) => ({ name, controls, effects, calls }));
  });
}
