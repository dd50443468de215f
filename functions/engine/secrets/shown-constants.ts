import type { KnownArguments, ToldArguments } from "../interpret/calls/path-conditions.ts";
import type { GivenFunction } from "../interpret/calls/registries.ts";
import type { Passage } from "../interpret/guards/passage.ts";
import type { Constant } from "../ir/ir.ts";

/** Tells which constants a record may keep: those that stand, in quotes, in the text as findings may show it. What is secret does not. */
export class ShownConstants {
  readonly #text: string;
  /** Files have the same few words everywhere. */
  readonly #known = new Map<string, boolean>();

  /** @param text the file without its secrets */
  constructor(text: string) {
    this.#text = text;
  }

  /** The same, as far as it may be kept. */
  of(known: KnownArguments | undefined): KnownArguments | undefined {
    if (!known) return undefined;
    const constants = Object.entries(known.constants).filter(([, constant]) => this.stands(constant));
    return constants.length === Object.keys(known.constants).length
      ? known
      : { ...known, constants: Object.fromEntries(constants) };
  }

  /** A function that is given away, with those of the texts beside it that may be kept. */
  beside({ told, ...given }: GivenFunction): GivenFunction {
    // Without one of them nobody knows any more whether it is meant by another key.
    return told?.every((text) => this.stands(text)) ? { ...given, told } : given;
  }

  /** The constants that a call was told, as far as they may be kept. */
  told(all: ToldArguments | undefined): ToldArguments | undefined {
    if (!all) return undefined;
    const told = Object.entries(all).filter(([, constant]) => this.stands(constant));
    return told.length === 0 ? undefined : Object.fromEntries(told);
  }

  /** The functions that a value has passed, without what must not be kept of how they were called. */
  passages(via: readonly Passage[]): Passage[] {
    return via.map((passage) => {
      const { told, ways, spared } = passage;
      if (!told && !ways && !spared) return passage;
      return {
        ...passage,
        told: this.told(told),
        ...(ways && { ways: ways.map((way) => this.passages(way)) }),
        ...(spared && { spared: { ...spared, via: this.passages(spared.via) } }),
      };
    });
  }

  /** Whether a constant may be kept. */
  stands(constant: Constant): boolean {
    if (typeof constant !== "string") return true;
    const known = this.#known.get(constant);
    if (known !== undefined) return known;
    const stands = quotes.some((quote) => this.#text.includes(`${quote}${constant}${quote}`));
    this.#known.set(constant, stands);
    return stands;
  }
}

const quotes = ['"', "'", "`"] as const;
