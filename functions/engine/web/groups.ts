import type { Call } from "../ir/ir.ts";
import { argumentOf, pathText } from "./arguments.ts";
import type { Chains } from "./chains.ts";
import type { FileFacts } from "./file-facts.ts";
import type { Registered, Registration } from "./registration.ts";
import type { Routers } from "./routers.ts";
import type { Routes } from "./routes.ts";
import type { WebKnowledge } from "./web-knowledge.ts";
import type { Within } from "./within.ts";

/** Finds what stands in front of all that a function registers. */
export class Groups {
  readonly #knowledge: WebKnowledge;
  readonly #registration: Registration;
  readonly #chains: Chains;
  readonly #routers: Routers;
  readonly #routes: Routes;
  readonly #file: FileFacts;

  constructor(
    knowledge: WebKnowledge,
    registration: Registration,
    chains: Chains,
    routers: Routers,
    routes: Routes,
    file: FileFacts,
  ) {
    this.#knowledge = knowledge;
    this.#registration = registration;
    this.#chains = chains;
    this.#routers = routers;
    this.#routes = routes;
    this.#file = file;
  }

  /** What a function registers that is given to a call such as `Route::middleware("auth")->group(…)`. */
  enter(call: Call, names: readonly string[], within: Within): Within {
    const { mounts } = this.#knowledge.registers(names);
    const isWritten = call.args.some(({ value }) => value.kind === "closure");
    // Without a function some only make a router.
    const makes = !isWritten && mounts.some(({ of }) => of === "result");
    if (makes || !mounts.some(({ of }) => of === "closure")) return within;
    const into: Registered = { references: [], controls: new Set(), byName: true };
    this.#chains.place(call, into);
    if (call.callee.kind === "variable") this.#registration.named(call.callee, into);
    for (const { value } of call.args)
      if (value.kind === "collection" && value.shape === "map") this.#registration.options(value, [], into);
      else if (value.kind !== "closure" && value.kind !== "literal") this.#registration.place(value, false, into);
    // Routes of a file or function that is named here are not followed: what is in front of them may be in front of any.
    if (!isWritten || this.#handsOn(call)) for (const control of into.controls) this.#file.application.add(control);
    if (!isWritten) return within;
    const { group } = within;
    const [first] = mounts.find(({ of }) => of === "closure")?.path.flatMap((key) => argumentOf(call, key) ?? []) ?? [];
    const own = first?.kind === "closure" ? null : pathText(first);
    this.#routers.group(call);
    return {
      ...within,
      group: {
        path: own === null ? (group?.path ?? null) : joined(group?.path ?? "", own),
        references: [...(group?.references ?? []), ...into.references],
        controls: new Set([...(group?.controls ?? []), ...into.controls]),
      },
    };
  }

  /** Whether the function that is given has others register for it: `authenticate { orders(repository) }`. */
  #handsOn({ args }: Call): boolean {
    return args.some(
      ({ value }) =>
        value.kind === "closure" &&
        value.fn.body.some((statement) => {
          const called = statement.kind === "expression" || statement.kind === "return" ? statement.value : null;
          if (called?.kind !== "call" || called.callee.kind !== "variable") return false;
          if (this.#routes.heldBy(called).length > 0) return false;
          const { routes, mounts } = this.#knowledge.registers(this.#registration.namesOf(called.callee));
          return routes.length + mounts.length === 0;
        }),
    );
  }
}

/** A path in a group that lies at another. */
export const joined = (before: string, path: string | null): string | null =>
  before === "" ? path : `${before}/${path ?? ""}`.replace(/\/+/g, "/").replace(/(.)\/$/, "$1");
