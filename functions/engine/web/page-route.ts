import { pageName } from "../interpret/page.ts";
import type { Call, Span } from "../ir/ir.ts";
import { FunctionFacts } from "./function-facts.ts";
import { pathText } from "./registration.ts";
import type { RouteForm } from "./web-knowledge.ts";
import type { Reference } from "./web-record.ts";

/** What stands before the path in a reference to a file that is included. */
export const includes = "include:";
/** A file whose name is computed. */
export const anyPage = `${includes}?`;

/** A file that is asked for by its own path, as in PHP: what it reads tells the methods that it answers to. */
export class PageRoute {
  readonly facts = new FunctionFacts(pageName, null);
  readonly #forms: readonly RouteForm[];
  readonly #read = new Map<string, Span>();

  constructor(forms: readonly RouteForm[]) {
    this.#forms = forms;
  }

  /** Something that the page reads, wherever it does so first. */
  read(name: string, at: Span): void {
    const form = this.#forms.find(({ test }) => test(name));
    if (form && !this.#read.has(form.otherwise)) this.#read.set(form.otherwise, at);
  }

  /** The methods of the page, and where it first looks at the most telling of them; null for a file that is no page. */
  asked(): { methods: string[]; at: Span } | null {
    const [at] = this.#forms.flatMap(({ otherwise }) => this.#read.get(otherwise) ?? []);
    return at ? { methods: [...this.#read.keys()].sort(), at } : null;
  }
}

/** The file that a call includes, by as much of the end of its path as is written; null for other calls. */
export function includedPage({ callee, args }: Call): Reference | null {
  if (callee.kind !== "variable" || !/^(include|require)(_once)?$/.test(callee.name)) return null;
  const end = pathText(args[0]?.value)
    ?.match(/[^:]*$/)?.[0]
    .replace(/^(\.{0,2}\/)+/, "");
  return end && /\w\.\w+$/.test(end) ? `${includes}${end}` : anyPage;
}
