import { pageName } from "../interpret/views/page.ts";
import type { Call, Span } from "../ir/ir.ts";
import { pathText } from "./arguments.ts";
import { FunctionFacts } from "./function-facts.ts";
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
  /** Whether it looks at the request at all; what it only does makes no page of it. */
  #asks = false;

  constructor(forms: readonly RouteForm[]) {
    this.#forms = forms;
  }

  /** Something that the page reads, or text that it has, wherever it does so first. */
  read(name: string, at: Span, isText: boolean): void {
    const form = this.#forms.find(({ test }) => test(name));
    if (form && !isText) this.#asks = true;
    if (form && !this.#read.has(form.otherwise)) this.#read.set(form.otherwise, at);
  }

  /** The methods of the page, and where it first looks at the most telling of them; null for a file that is no page. */
  asked(): { methods: string[]; at: Span } | null {
    if (!this.#asks) return null;
    const [at] = this.#forms.flatMap(({ otherwise }) => this.#read.get(otherwise) ?? []);
    return at ? { methods: [...this.#read.keys()].sort(), at } : null;
  }
}

/** The file that a call includes, by as much of the end of its path as is written, or any file of a folder; null for other calls. */
export function includedPage({ callee, args }: Call): Reference | null {
  if (callee.kind !== "variable" || !/^(include|require)(_once)?$/.test(callee.name)) return null;
  const path = pathText(args[0]?.value) ?? "";
  const end = relative(path.match(/[^:]*$/)?.[0] ?? "");
  if (/\w\.\w+$/.test(end)) return `${includes}${end}`;
  const folder = relative(path.match(/([^:]*\/)[^:/]*:[^:/]*$/)?.[1] ?? "");
  return folder === "" ? anyPage : `${includes}${folder}*`;
}

const relative = (path: string): string => path.replace(/^(\.{0,2}\/)+/, "");

/** `defined("ROOT") or die`: nobody gets here but through a file that decides who may. It says nothing about those files. */
export const isForIncludersOnly = (text: string): boolean =>
  /\bdefined\s*\([^)]{0,200}\)\s*(\|\||or\b|\)\s*:?\s*\{?)\s*(die|exit|return|header|http_response_code)\b/i.test(text);

/** Of a folder whose files are included by computed names only one runs, and nothing tells which. */
export const isOneOfFolder = (reference: Reference): boolean =>
  reference.startsWith(includes) && reference.endsWith("*");
