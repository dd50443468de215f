import type { ExportedFunction, Handover, ParameterFlow } from "../artefact.ts";
import { ownerOf } from "../catalogue/paths.ts";
import { inClasses } from "../interpret/objects/shared-state.ts";
import { append } from "../multimap.ts";
import { anyParameter, mayEnter } from "./exported.ts";
import type { Modules, Target } from "./modules.ts";
import type { Takers } from "./takers.ts";

type Pass = ExportedFunction["passes"][number];

/** What becomes of a value that comes into a function as one of its parameters. */
export interface Entrance {
  readonly flows: readonly ParameterFlow[];
  readonly keeps: NonNullable<ExportedFunction["keeps"]>;
  /** Where it is handed on to, as far as that leads anywhere. */
  readonly passes: readonly Pass[];
}

interface Known extends Entrance {
  readonly path: string;
  readonly handed: readonly Pass[];
  passes: Pass[];
  leads: boolean;
}

/** Ways from function to function that are looked at; a server of 800 files of Java has 9,000. Behind them everything may lead somewhere. */
const edgesMax = 1_000_000;

/**
 * Knows of each function whether what it is given gets to anything that is told or kept, in it or in those that it hands it on to. Most of what
 * programs hand around does not, and following that was most of what linking took.
 */
export class Leads {
  readonly #takers: Takers;
  readonly #modules: Modules;
  readonly #known = new Map<ExportedFunction, Map<number, Known>>();
  #edges = 0;

  constructor(takers: Takers, modules: Modules) {
    this.#takers = takers;
    this.#modules = modules;
  }

  /** Whether a value that is handed over in the file at `from` gets anywhere, as far as functions and positions tell. */
  isLead(from: string, handover: Handover): boolean {
    return this.#takers
      .of(from, handover.target)
      .some((target) => this.#knownOf(target, mayEnter(target.exported, handover.argument)).leads);
  }

  /** What becomes of it in a function; null where nothing does. */
  into(target: Target, parameter: number): Entrance | null {
    const known = this.#knownOf(target, parameter);
    return known.leads ? known : null;
  }

  #knownOf(target: Target, parameter: number): Known {
    const known = this.#known.get(target.exported)?.get(parameter);
    if (known) return known;
    const first = this.#note(target, parameter);
    this.#explore(first);
    return first;
  }

  #note(target: Target, parameter: number): Known {
    const { artefact, exported } = target;
    const isIt = (other: { parameter: number }) => parameter === anyParameter || other.parameter === parameter;
    const noted: Known = {
      path: artefact.coverage.path,
      flows: exported.flows.filter(isIt),
      keeps: this.#kept(target).filter(({ from }) => "parameter" in from && isIt(from)),
      handed: exported.passes.filter(isIt),
      passes: [],
      leads: false,
    };
    const known = this.#known.get(exported) ?? new Map<number, Known>();
    this.#known.set(exported, known.set(parameter, noted));
    return noted;
  }

  /** What it keeps where somebody looks. */
  #kept({ artefact, exported }: Target): Entrance["keeps"] {
    const { keeps = [] } = exported;
    return keeps.length > 0 && this.#modules.hasReaders(artefact, ownerOf(exported.name))
      ? keeps
      : keeps.filter(({ field }) => !field.startsWith(inClasses));
  }

  /** On to all that nobody has looked at, then back from what tells or keeps: functions call each other in circles. */
  #explore(first: Known): void {
    const edges: { known: Known; pass: Pass; next: Known }[] = [];
    const before = new Map<Known, Known[]>();
    const open = [first];
    for (let known = open.pop(); known; known = open.pop()) {
      known.leads = known.flows.length + known.keeps.length > 0;
      if (this.#edges > edgesMax) {
        known.leads = true;
        known.passes = [...known.handed];
        continue;
      }
      for (const pass of known.handed) {
        for (const target of this.#takers.of(known.path, pass.target)) {
          const parameter = mayEnter(target.exported, pass.argument);
          const met = this.#known.get(target.exported)?.get(parameter);
          const next = met ?? this.#note(target, parameter);
          if (!met) open.push(next);
          edges.push({ known, pass, next });
          append(before, next, known);
          this.#edges += 1;
        }
      }
    }
    const leading = [first, ...before.keys()].filter(({ leads }) => leads);
    for (let next = leading.pop(); next; next = leading.pop()) {
      for (const known of before.get(next) ?? []) {
        if (known.leads) continue;
        known.leads = true;
        leading.push(known);
      }
    }
    for (const { known, pass, next } of edges) if (next.leads && known.passes.at(-1) !== pass) known.passes.push(pass);
  }
}
