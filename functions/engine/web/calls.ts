import type { Call } from "../ir/ir.ts";
import type { FieldTypes } from "./field-types.ts";
import type { FileFacts } from "./file-facts.ts";
import { type Names, written } from "./names.ts";
import { anyPage, includedPage } from "./page-route.ts";
import type { Records } from "./records.ts";
import type { Within } from "./within.ts";

/** Reads what calls tell about the functions that they stand in. */
export class Calls {
  readonly #names: Names;
  readonly #file: FileFacts;
  readonly #records: Records;
  readonly #fieldTypes: FieldTypes;

  constructor(names: Names, file: FileFacts, records: Records, fieldTypes: FieldTypes) {
    this.#names = names;
    this.#file = file;
    this.#records = records;
    this.#fieldTypes = fieldTypes;
  }

  /** What a call tells by its names, its first argument, and the function that it leads to. */
  read(call: Call, names: readonly string[], within: Within): void {
    for (const name of names) this.#file.tell("call", name, within, call);
    const injected = this.#fieldTypes.method(call.callee, within);
    // A field called `orders` is a repository by its type.
    const about = injected === null ? names : [...names, injected.replace(/^#/, "")];
    const use = this.#records.use(call, about, () => parametersAround(within));
    if (use) this.#file.uses(use, call, within);
    const [first] = call.args;
    if (first?.value.kind === "literal" && String(first.value.value).length < 40)
      this.#file.tell("read", `${written(call.callee)}.${first.value.value}`, within, call);
    const reference = this.#names.reference(call.callee);
    if (reference !== null && this.#names.leads(reference))
      for (const facts of within.functions) facts.calls.add(reference);
    if (injected !== null) for (const facts of within.functions) facts.calls.add(injected);
    const included = this.#file.page ? includedPage(call) : null;
    if (included === null) return;
    this.#file.tell("read", included, within, call);
    if (included !== anyPage) for (const facts of within.functions) facts.fronts.add(included);
  }

  /** `require_login();` means a function of any file; those whose results are used are mostly the language's own. */
  alone({ callee }: Call, { functions }: Within): void {
    if (!this.#file.page || callee.kind !== "variable") return;
    const reference = this.#names.reference(callee);
    if (reference !== null && /^[\w\\]+$/.test(reference)) for (const facts of functions) facts.calls.add(reference);
  }
}

const parametersAround = ({ functions }: Within): ReadonlySet<string> =>
  new Set(functions.flatMap((facts) => [...facts.parameters.keys()]));
