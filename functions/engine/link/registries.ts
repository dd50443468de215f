import type { FileArtefact } from "../artefact.ts";
import { type KnownArguments, keyPlace } from "../interpret/calls/path-conditions.ts";
import { inRegistry } from "../interpret/calls/registries.ts";
import { append } from "../multimap.ts";
import { argumentIndex } from "./exported.ts";
import type { Target } from "./modules.ts";

/** A function, class or object that a file has put into a table of another. */
interface Entry {
  readonly path: string;
  readonly artefact: FileArtefact;
  readonly name?: string | undefined;
  readonly object?: string | undefined;
  /** The field that it lies in of what was put there. */
  readonly as: string | undefined;
  readonly told: readonly string[] | undefined;
}

/** What a table holds of which one is called; more are variants of one another. */
const entriesMax = 30;

type Find = (path: string, target: string, aliases: number) => Target[];

/** What files put into tables of others, which call it: commands, plugins, listeners. */
export class Registries {
  readonly #artefacts: readonly FileArtefact[];
  readonly #find: Find;
  /** By the file and its table. */
  readonly #entries = new Map<string, Entry[]>();
  #isRead = false;

  constructor(artefacts: readonly FileArtefact[], find: Find) {
    this.#artefacts = artefacts;
    this.#find = find;
  }

  /** @param target "[]handlers", "[]Bus.handlers", or a method of what lies there: "[]plugins.run" */
  of(from: string, target: string, aliases: number): Target[] {
    this.#read();
    const name = target.slice(inRegistry.length);
    const whole = this.#entries.get(`${from}\0${name}`);
    if (whole) return whole.flatMap((entry) => (entry.as === undefined ? this.#taken(entry, "", aliases) : []));
    const dot = name.lastIndexOf(".");
    const member = name.slice(dot + 1);
    return (this.#entries.get(`${from}\0${name.slice(0, dot)}`) ?? []).flatMap((entry) =>
      entry.as === undefined
        ? this.#taken(entry, `.${member}`, aliases)
        : entry.as === member
          ? this.#taken(entry, "", aliases)
          : [],
    );
  }

  #taken({ path, artefact, name, object, told }: Entry, member: string, aliases: number): Target[] {
    const found =
      name === undefined
        ? this.#find(path, `${object}${member}`, aliases + 1)
        : artefact.link.exports.flatMap((exported) =>
            exported.name === `${name}${member}` ? [{ artefact, exported }] : [],
          );
    return told ? found.map((one) => ({ ...one, under: told })) : found;
  }

  #read(): void {
    // Whoever asks while they are read is told what was read so far, and does not begin anew.
    if (this.#isRead) return;
    this.#isRead = true;
    for (const artefact of this.#artefacts) {
      const { path } = artefact.coverage;
      for (const { target, argument, name, object, told } of artefact.link.givenFunctions ?? [])
        for (const { artefact: by, exported } of this.#find(path, target, 0))
          for (const { table, parameter, as } of exported.registers ?? []) {
            const key = `${by.coverage.path}\0${table}`;
            const isIt = argumentIndex(exported, argument) === parameter;
            if (isIt && (this.#entries.get(key)?.length ?? 0) < entriesMax)
              append(this.#entries, key, { path, artefact, name, object, as, told });
          }
    }
  }
}

/** `publish("paid", note)`: what was put there under another key is not meant. */
export const isUnder = ({ under }: Target, known: KnownArguments | undefined): boolean => {
  const key = known?.constants[keyPlace];
  return key === undefined || !under || under.includes(String(key));
};
