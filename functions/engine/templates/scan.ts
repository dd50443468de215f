import type { Candidate, ExportedFunction, LinkRecord, LocalStep, OutgoingCall } from "../artefact.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import { anchorOf } from "../findings/anchor.ts";
import { nameMax, snippetOf } from "../findings/candidates.ts";
import { excerptOf } from "../findings/excerpt.ts";
import type { Passage } from "../interpret/guards/passage.ts";
import type { Span } from "../ir/ir.ts";
import { noLinks } from "../link/link-record.ts";
import { fieldName } from "../link/submitted.ts";
import type { MayHave } from "../secrets/keyword-search.ts";
import type { ShownText } from "../secrets/shown-text.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";
import { htmlOfComponents } from "./component-html.ts";
import { outputsOfGo } from "./go-pages.ts";
import { dialectOf, type TemplateFormat } from "./template-format.ts";
import { readTemplate } from "./template-reader.ts";
import type { Helper, Read } from "./template-reads.ts";
import type { Include, Output } from "./template-scope.ts";
import { type Escaping, escapings, helperTarget, shownHelperTarget, templateTarget } from "./template-target.ts";
import { readsRequest } from "./template-words.ts";

/** Longer files are written by programs. */
const charactersMax = 1_000_000;

/** Asks the rules about the outputs of a template. A template is to the linker a function, whose parameters are the names it reads. */
export class TemplateScanner {
  readonly #rules: readonly Rule[];

  /** @param rules those that are about templates */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** @param safe the file without its secrets @throws TimeUp */
  scan(
    format: TemplateFormat,
    text: string,
    safe: ShownText,
    suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
    limit: TimeLimit = noLimit(),
  ): { candidates: Candidate[]; links: LinkRecord; reason: string | null } {
    const dialect = dialectOf(format, text);
    if (dialect === null) {
      const shown = this.shownByComponents(text, safe, suppressed);
      const ofGo = format === "html" && text.length <= charactersMax ? outputsOfGo(text) : [];
      const file = { safe, suppressed };
      const exports = ofGo.length > 0 ? escapings.map((escaping) => this.#exported(file, escaping, ofGo, [])) : [];
      return { candidates: [], links: { ...noLinks, ...shown, exports }, reason: null };
    }
    if (text.length > charactersMax) return { candidates: [], links: noLinks, reason: "size_limit" };
    const { outputs, includes } = readTemplate(text, dialect, limit);
    const file = { safe, suppressed };
    // Whether Smarty was told to escape only other files say; few that have told it to show the request itself.
    const own = outputs.flatMap((output) =>
      output.reads
        .filter((read) => readsRequest(dialect, read.root, read.path))
        .flatMap((read) =>
          this.#rulesFor(output, read, dialect === "smarty" ? "plain" : "escaping").map((rule) =>
            candidateOf(file, rule, output, read),
          ),
        ),
    );
    const links = {
      ...noLinks,
      ...this.#recordsShown(file, outputs),
      calls: this.#handedInput(file, dialect, outputs, includes),
      exports: escapings.map((escaping) => this.#exported(file, escaping, outputs, includes)),
      aliases: includes.flatMap(({ name, alone }) => (alone ? [] : [{ name: "include", target: name }])),
    };
    return { candidates: own, links, reason: null };
  }

  /** What a template reads of the request itself, and hands on to helpers and to its parts. */
  #handedInput(
    file: File,
    dialect: TemplateFormat,
    outputs: readonly Output[],
    includes: readonly Include[],
  ): OutgoingCall[] {
    const isInput = (read: Read) => read.state !== "clean" && readsRequest(dialect, read.root, read.path);
    const handed = (read: Read, to: Span, target: string, argument: number | string): OutgoingCall => ({
      from: { sourceKind: "http-query", source: excerptOf(file.safe.text, read, nameMax), confidence: 1 },
      target,
      argument,
      clean: [],
      trace: [stepOf(file, read, "source"), stepOf(file, to, "step")],
    });
    return [
      ...outputs.flatMap((output) =>
        output.reads.flatMap((read) =>
          isInput(read)
            ? (read.helpers ?? [])
                .slice(0, 1)
                .map(({ name, argument }) => handed(read, output, helperTarget(name), argument))
            : [],
        ),
      ),
      ...includes.flatMap((include) =>
        [...include.given].flatMap(([key, reads]) =>
          reads.filter(isInput).map((read) => handed(read, include, templateTarget("escaping", include.name), key)),
        ),
      ),
    ];
  }

  /** Fields of records that the components in a file show as HTML, whether it is markup or code. */
  shownByComponents(
    text: string,
    safe: ShownText,
    suppressed: File["suppressed"],
    mayHave: MayHave = () => true,
  ): Pick<LinkRecord, "shown"> {
    return text.length > charactersMax ? {} : this.#recordsShown({ safe, suppressed }, htmlOfComponents(text, mayHave));
  }

  /** Raw outputs of a field of something that the template was given. */
  #recordsShown(file: File, outputs: readonly Output[]): Pick<LinkRecord, "shown"> {
    const rules = this.#rules.filter((rule) => rule.taint?.templates?.includes("record"));
    const shown = outputs.flatMap((output) =>
      output.reads
        .filter((read) => read.path.length > 0 && problemOf(output, read, "escaping") === "raw" && !isPart(read))
        .flatMap((read) =>
          rules.map((rule) => ({
            field: fieldName(read.path.findLast((name) => !textMethod.test(name)) ?? ""),
            candidate: candidateOf(file, rule, output, read),
          })),
        ),
    );
    return shown.length > 0 ? { shown } : {};
  }

  #exported(file: File, name: Escaping, outputs: readonly Output[], includes: readonly Include[]): ExportedFunction {
    const given = includes.flatMap((include) =>
      [...include.given].flatMap(([key, reads]) => reads.map((read) => ({ include, key, read }))),
    );
    // What a loop goes through are records, as a rule, of which helpers show what is in them.
    const handed = outputs.flatMap((output) =>
      output.reads.flatMap((read) =>
        read.start >= output.start ? (read.helpers ?? []).slice(0, 1).map((helper) => ({ output, read, helper })) : [],
      ),
    );
    const reads = [...outputs.flatMap((output) => output.reads), ...given.map(({ read }) => read)];
    const parameters = [...new Set(reads.map(({ root }) => root))];
    const indexOf = (read: Read) => parameters.indexOf(read.root);
    const flow = (read: Read, candidate: Candidate) => ({
      parameter: indexOf(read),
      field: fieldOf(read),
      candidate,
      clean: [],
    });
    const flows = outputs.flatMap((output) => [
      ...output.reads.flatMap((read) =>
        this.#rulesFor(output, read, name).map((rule) => ({
          ...flow(read, candidateOf(file, rule, output, read)),
          ...(output.place === "url" && problemOf(output, read, name) === "place" && { leads: true }),
        })),
      ),
      ...this.#shownByHelpers(file, output, name).map(({ read, candidate }) => flow(read, candidate)),
    ]);
    return {
      name,
      parameters,
      flows,
      passes: [
        ...given.map(({ include, key, read }) => ({
          target: templateTarget(name, include.name),
          argument: key,
          parameter: indexOf(read),
          of: fieldOf(read),
          clean: read.state === "clean" ? this.#rules.map((rule) => rule.family) : [],
          trace: [stepOf(file, read, "step"), stepOf(file, include, "step")],
        })),
        ...handed.map(({ output, read, helper }) => ({
          target: helperTarget(helper.name),
          argument: helper.argument,
          parameter: indexOf(read),
          of: fieldOf(read),
          clean: [],
          trace: [stepOf(file, read, "step"), stepOf(file, output, "step")],
        })),
      ],
      returns: [],
      guards: [],
    };
  }

  /** What the engine would escape, had the last function that it goes through not been made known as one whose text is HTML. */
  #shownByHelpers(file: File, output: Output, escaping: Escaping): { read: Read; candidate: Candidate }[] {
    return output.reads.flatMap((read) => {
      const last = read.helpers?.at(-1);
      if (!last || read.state !== "plain" || problemOf(output, read, escaping) !== null) return [];
      const shown: Passage = { ...passageOf(last), target: shownHelperTarget(last.name), trusted: true };
      return this.#rules
        .filter((rule) => rule.taint?.templates?.includes("raw"))
        .map((rule) => ({ read, candidate: candidateOf(file, rule, output, read, shown) }));
    });
  }

  #rulesFor(output: Output, read: Read, escaping: Escaping): Rule[] {
    const problem = problemOf(output, read, escaping);
    return problem === null ? [] : this.#rules.filter((rule) => rule.taint?.templates?.includes(problem));
  }
}

type Problem = "raw" | "place" | "expression";

/** What is wrong with showing a value here: it is not escaped, escaping does not help at this place, or it is not shown but evaluated. */
function problemOf({ raw, place }: Output, read: Read, escaping: Escaping): Problem | null {
  const { state } = read;
  if (place === "expression") return state === "clean" ? null : "expression";
  if (state === "clean" || state === "json") return null;
  if (raw || state === "raw" || escaping === "plain") return "raw";
  if (isOfFormset(read)) return null;
  return place === "url" || place === "script" || place === "unquoted" ? "place" : null;
}

/** `{{ lines_formset.empty_form.id }}` in a template for scripts: forms of Django write their fields themselves. */
const isOfFormset = ({ root, path }: Read): boolean =>
  /(^|_)form_?set$/i.test(root) &&
  !path.some((part) => /^(\w*data|value|initial|instance|errors|get|items)$/.test(part));

interface File {
  safe: ShownText;
  suppressed: (ruleId: string, line: number) => Candidate["suppressed"];
}

/** What makes another text of one. */
const textMethod = /^(replace(All)?|trim|toString|slice|substr(ing)?|split|join|map|to(Upper|Lower)Case)$/;

/** What frameworks put into every template, and forms, which make their own HTML. */
const isPart = ({ root }: Read): boolean =>
  /^(form|f|self|site|page|settings|config|html|request|session)$/i.test(root);

/** The field of what is handed in; methods of maps lead to any of them. */
const fieldOf = ({ path: [first] }: Read): string | undefined =>
  first === undefined || /^(items|values|entries|get|\d+|first|last)$/.test(first) ? undefined : first;

/** What is called so was made to be shown as it is: whoever made it may have escaped what is in it. */
const saysHtml = /html|markup|(^|_)(hidden|table|menu|pager|paginator|pagination|svg)(_|$)|(Table|Menu|Svg)$/i;

/** What a function of the application makes of a value before it is shown. */
const passageOf = ({ name, argument }: Helper): Passage => ({
  target: helperTarget(name),
  argument,
  check: "result",
  trusted: false,
});

/** @param shown what else it has to get through */
function candidateOf(file: File, rule: Rule, output: Output, read: Read, shown?: Passage): Candidate {
  const { text, lines } = file.safe;
  const place = lines.place(output.start, output.end);
  const via = [...(read.helpers ?? []).map(passageOf), ...(shown ? [shown] : [])];
  return {
    ...place,
    ...(via.length > 0 && { via }),
    ruleId: rule.id,
    severity: rule.severity,
    confidence: Math.round(rule.confidence * (saysHtml.test(read.root) ? 0.7 : 1) * 100) / 100,
    source: excerptOf(text, read, nameMax),
    sink: excerptOf(text, output, nameMax),
    symbol: "",
    anchor: anchorOf(text.slice(output.start, output.end), false),
    snippet: snippetOf(lines, place),
    trace: [stepOf(file, read, "source"), stepOf(file, output, "sink")],
    suppressed: file.suppressed(rule.id, place.startLine),
  };
}

const stepOf = ({ safe: { text, lines } }: File, at: Span, role: LocalStep["role"]): LocalStep => ({
  ...lines.place(at.start, at.end),
  code: excerptOf(text, at, 120),
  role,
});
