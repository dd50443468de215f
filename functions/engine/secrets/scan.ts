import { createHash } from "node:crypto";
import type { Candidate } from "../artefact.ts";
import type { Rule } from "../catalogue/rule-schema.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import { append } from "../multimap.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";
import { type CompiledSecret, compileSecrets } from "./compiled-secret.ts";
import { entropyOf } from "./entropy.ts";
import { KeywordSearch, type MayHave } from "./keyword-search.ts";
import { isPlaceholder } from "./placeholder.ts";
import { privateKeys } from "./private-keys.ts";
import { occurrencesOf, ShownText } from "./shown-text.ts";

/** How much text around a keyword the expression sees. Secrets and what introduces them stand closer together than this. */
const windowBefore = 200;
const windowAfter = 400;
/** What reaches the end of the window may go on: certificates of accounts and signed tokens have a few thousand characters. */
const secretLengthMax = 16_000;
/** A file with more is a dump, not a program; the first ones are enough to say so. */
const secretsMax = 200;
const keywordsMax = 2_000;

interface FoundSecret {
  start: number;
  end: number;
  secret: string;
  by: CompiledSecret;
}

interface Window {
  start: number;
  end: number;
}

/** What one pass over a text has found. */
interface Met {
  /** Where each expression has to look; in the order of the text, without overlaps. */
  readonly windows: ReadonlyMap<number, readonly Window[]>;
  readonly mayHave: MayHave;
}

/** The secrets of one file. */
export interface FoundSecrets {
  /** The file without them. */
  readonly shown: ShownText;
  /** Whether the file may have one of the words that other scanners look for. */
  readonly mayHave: MayHave;
  /**
   * The findings; each place is reported by the first rule that finds it.
   * @param shown the file without the secrets that others have found since
   * @param told whether a rule that understands the code has reported the secret on that line; rules that go by names stay silent then
   */
  candidates(
    suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
    shown?: ShownText,
    told?: (secret: string, line: number) => boolean,
  ): Candidate[];
}

/** Whether a place is in a documenting comment, which shows how to call something: ` * login({ password: "…" })`. */
function isExample(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at);
  if (/^\s*\*(\s|$)/.test(line) && text.lastIndexOf("/**", at) > text.lastIndexOf("*/", at)) return true;
  // `#   user.password = "…"`: code in a comment is set in from what it says.
  if (/^\s*(#|\/\/)( {2}|\t)\s*\S/.test(line)) return true;
  if (isUnderExample(text, at)) return true;
  const opened = openedText(text, at);
  if (opened === null) return false;
  const before = text.slice(Math.max(0, opened - nearMax), opened).replace(/[rRuU]$/, "");
  return documented.test(before) || (opened < nearMax && /^(\s|#.*\n)*$/.test(before));
}

/** The values of an example rarely take more room, and each line is looked at once a value. */
const exampleMax = 2_000;
/** Descriptions of interfaces show what is sent under such a key. */
const exampleKey = /^(?:-\s)?["']?examples?["']?\s?:\s*[{[]?$/;
/** `connection_example = OrderedDict(`, `EXAMPLE = {`: the same in code. */
const exampleVariable =
  /^(?:(?:const|let|var|static|final)\s)?(?:\w{1,60}_)?examples?(?:_\w{1,60})?\s?=\s?[\w.]{0,60}[({[]$/i;
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Whether one of the keys that a place lies under, told by their indentation, is `example`. */
function isUnderExample(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - exampleMax), at);
  if (!before.includes("example") && !before.includes("EXAMPLE")) return false;
  const lines = before.split("\n").reverse();
  let indent = indentOf(lines[0] ?? "");
  for (const line of lines) {
    if (line.trim() === "" || indentOf(line) >= indent) continue;
    if (exampleKey.test(line.trim()) || exampleVariable.test(line.trim())) return true;
    indent = indentOf(line);
  }
  return false;
}

/** What stands before the docstring of a Python function or class. The key of a map would end in a quote instead. */
const documented = /[^"'\s]\s*:[ \t]*(#.*)?\r?\n\s*$/;

/** Where the triple-quoted text that a place lies in begins. */
function openedText(text: string, at: number): number | null {
  let opened: number | null = null;
  let quotes = "";
  for (const { 0: found, index } of text.slice(0, at).matchAll(/"""|'''/g)) {
    if (opened === null) [opened, quotes] = [index, found];
    else if (found === quotes) opened = null;
  }
  return opened;
}

/** Finds secrets in any text. Work is linear in the text: expressions run only around keywords, in an engine that never backtracks. */
export class SecretScanner {
  readonly #secrets: readonly CompiledSecret[];
  readonly #keywords: KeywordSearch;
  /** The expressions that each keyword calls; none where others look for it. */
  readonly #called: readonly (readonly number[])[];
  readonly #lengths: readonly number[];
  /** The place of each keyword among them. */
  readonly #indices: ReadonlyMap<string, number>;

  /** @param others words that others look for, in lower case: a text is passed over once for all */
  constructor(rules: readonly Rule[], others: readonly string[] = []) {
    this.#secrets = rules.flatMap(compileSecrets);
    const called = new Map<string, number[]>();
    for (const [index, { keywords }] of this.#secrets.entries())
      for (const keyword of keywords) append(called, keyword, index);
    for (const word of others.filter(isAscii)) if (!called.has(word)) called.set(word, []);
    this.#keywords = new KeywordSearch([...called.keys()]);
    this.#called = [...called.values()];
    this.#lengths = [...called.keys()].map((keyword) => keyword.length);
    this.#indices = new Map([...called.keys()].map((keyword, index) => [keyword, index]));
  }

  /**
   * @param lines those of the text, for who has them
   * @throws TimeUp; what has not been searched to its end cannot be shown at all
   */
  find(text: string, lines?: LineIndex, limit: TimeLimit = noLimit()): FoundSecrets {
    const { windows, mayHave } = this.#meet(text);
    const taken = this.#find(text, windows, limit);
    const values = taken.map((found) => found.secret);
    const shown = new ShownText(text, lines).without([...taken, ...privateKeys(text), ...occurrencesOf(text, values)]);
    return {
      shown,
      mayHave,
      candidates: (suppressed, safe = shown, told = () => false) =>
        taken
          .filter(
            ({ start, secret, by }) =>
              !by.rule.secret?.generic || !(told(secret, safe.lines.lineOf(start)) || isExample(text, start)),
          )
          .map((found) => candidateOf(found, safe, suppressed, isExample(text, found.start))),
    };
  }

  #find(text: string, windows: Met["windows"], limit: TimeLimit): FoundSecret[] {
    const taken: FoundSecret[] = [];
    for (const [index, secret] of this.#secrets.entries()) {
      for (const window of windows.get(index) ?? []) {
        limit.check((window.end - window.start) >> 3);
        for (const found of matchesOf(secret, text, window.start, window.end)) {
          const overlaps = taken.some((other) => other.start < found.end && found.start < other.end);
          if (!overlaps && taken.length < secretsMax) taken.push(found);
        }
      }
    }
    return taken;
  }

  #meet(text: string): Met {
    const met = new Uint8Array(this.#called.length);
    const all = new Map<number, Window[]>();
    const seen = new Int32Array(this.#secrets.length);
    this.#keywords.search(text, (word, end) => {
      met[word] = 1;
      const start = end - (this.#lengths[word] as number);
      for (const index of this.#called[word] as readonly number[]) {
        const leads = this.#secrets[index]?.leads === true;
        if (leads && wordCharacter.test(text[start - 1] ?? "")) continue;
        if ((seen[index] as number) >= keywordsMax) continue;
        seen[index] = (seen[index] as number) + 1;
        const windows = all.get(index) ?? [];
        if (windows.length === 0) all.set(index, windows);
        const window = {
          start: Math.max(0, start - (leads ? 1 : windowBefore)),
          end: Math.min(text.length, start + windowAfter),
        };
        const last = windows.at(-1);
        if (last && window.start <= last.end) last.end = Math.max(last.end, window.end);
        else windows.push(window);
      }
    });
    return { windows: all, mayHave: (word) => met[this.#indices.get(word) ?? -1] !== 0 };
  }
}

const isAscii = (word: string): boolean => /^[\0-\x7f]*$/.test(word);
const wordCharacter = /^\w/;

function matchesOf(by: CompiledSecret, text: string, from: number, to: number, widened = false): FoundSecret[] {
  const found: FoundSecret[] = [];
  const window = text.slice(from, to);
  // Most windows hold nothing, and asking whether something matches is much faster than asking where.
  if (!by.regex.test(window)) return found;
  const matcher = by.regex.matcher(window);
  while (matcher.find() && found.length < secretsMax) {
    const at = from + matcher.start();
    // Cut off by the window, not by its own end.
    if (from + matcher.end() === to && to < text.length && !widened)
      return [...found, ...matchesOf(by, text, at, at + secretLengthMax, true).slice(0, 1)];
    const group = matcher.start(by.group) < 0 ? matcher.groupCount() : by.group;
    const secret = matcher.group(group) ?? "";
    const start = from + matcher.start(group);
    const isOne =
      !isAskedOfSettings(by, text, start) &&
      !isLookedFor(by, text, start + secret.length) &&
      (isCommon(by, secret, text, start) ||
        (isSecret(by, secret) &&
          !isPlaceholder(secret) &&
          !isReserved(by, text, start + secret.length) &&
          !isNamedLikeUser(by, text, start, secret)));
    if (isOne) found.push({ start, end: start + secret.length, secret, by });
  }
  return found;
}

const isSecret = ({ entropy, allow }: CompiledSecret, secret: string): boolean =>
  secret !== "" && entropyOf(secret) >= entropy && !allow.some((each) => each.test(secret));

/** Hosts that belong to nobody, and words in place of one: `https://user:s3cret@example.com`, `https://benutzer:kennwort@host:port`. */
const reservedHost = /^@(?:(?:[\w-]+\.)*example\.(?:com|net|org|edu)\b|[\w.-]+:[A-Za-z]|host(?:name)?\b(?!\.))/;

const isReserved = ({ rule }: CompiledSecret, text: string, end: number): boolean =>
  rule.secret?.generic === true && text[end] === "@" && reservedHost.test(text.slice(end, end + 100));

/** A machine without a domain, such as the service of a Compose file: only what runs beside it gets there. */
const innerHost = /^@(?:[\w-]+|127\.0\.0\.1)(?=[:/\s"'`]|$)/;

/** A password that is what its user is called is what examples are started with: `postgres://shop:shop@db:5432/shop`. */
function isNamedLikeUser({ rule }: CompiledSecret, text: string, start: number, secret: string): boolean {
  const user = `//${secret}:`;
  return (
    rule.secret?.generic === true &&
    text.slice(Math.max(0, start - user.length), start) === user &&
    innerHost.test(text.slice(start + secret.length, start + secret.length + 100))
  );
}

/** `config.basicAuth.password === "pass"`: whether a setting still is what it comes with. Nobody sends it, so it lets nobody in. */
const asked =
  /(?:^|[^\w.])(?:(?:this|self|app|process)\.)?_?(?:config(?:uration)?|conf|cfg|settings|env)(?:\.\w{1,40}){1,4}\s?={2,3}\s?["'`]$/i;
/** No path of settings is longer. */
const askedMax = 200;

const isAskedOfSettings = ({ rule }: CompiledSecret, text: string, start: number): boolean =>
  rule.secret?.generic === true && asked.test(text.slice(Math.max(0, start - askedMax), start));

/** `needs_password = "password" in fields`: the name of what is looked for. */
const lookedFor = /^["'] (not )?in\b/;

const isLookedFor = ({ rule }: CompiledSecret, text: string, end: number): boolean =>
  rule.secret?.generic === true && lookedFor.test(text.slice(end, end + 10));

/** What belongs to one connection is written within a few lines. */
const nearMax = 250;

function isCommon({ common }: CompiledSecret, secret: string, text: string, at: number): boolean {
  if (!common?.values.has(secret) || isComment(text, at) || isShown(text, at)) return false;
  const around = text.slice(Math.max(0, at - nearMax), at + nearMax);
  return common.near.test(around) && !mapsNames(around, secret);
}

/** `"code_example": "connect(password=\\"password\\")"`: a text that shows how to call something, on one line of a document. */
function isShown(text: string, at: number): boolean {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  return shownText.test(text.slice(line, Math.min(at, line + shownMax)));
}

const shownText = /^\s{0,40}["']\w{0,30}(?:example|description|documentation|usage|help)\w{0,30}["']\s?:/i;
/** No key is longer, with what it is set in by. */
const shownMax = 120;

/** `{"email": "email", "password": "password"}`, `FIELD_USER = "user"` beside `FIELD_PASSWORD = "password"`: what fields are called. */
const mapsNames = (around: string, secret: string): boolean =>
  [...around.matchAll(/["']?\b(\w+)["']?\s?[:=]\s?["'](\w+)["']/g)].some(
    ([named, key = "", value = ""]) =>
      (/^\W/.test(named) ? key === value : `_${key}`.endsWith(`_${value.toUpperCase()}`)) && value !== secret,
  );

/** A text that is shown to somebody, with the value in it: `println('{"user": "root", "password": "password"}')`. */
const printed = /\b(echo|print(f|ln)?|puts|writeln|usage)\b[^'"]{0,60}(['"])(?:(?!\3).)*$/;

/** Settings that are there to be copied: `# password: "secret"`. */
function isComment(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - nearMax), at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return line.length < nearMax && (/^\s*(\/\/|#(?!\s?define)|\/?\*|--|;|<!--)/.test(line) || printed.test(line));
}

function candidateOf(
  { start, end, secret, by: { rule, provider, severity } }: FoundSecret,
  { lines }: ShownText,
  suppressed: (ruleId: string, line: number) => Candidate["suppressed"],
  isShownOnly: boolean,
): Candidate {
  const place = lines.place(start, end);
  return {
    ...place,
    ruleId: rule.id,
    severity: isShownOnly ? "low" : severity,
    confidence: rule.confidence,
    source: provider,
    sink: masked(secret),
    symbol: "",
    // The hash stands for the value: equal secrets match across scans, and nothing can be read back from a long one.
    anchor: `${rule.id} ${createHash("sha256").update(`sluice-secret\0${secret}`).digest("hex")}`,
    snippet: snippetOf(lines, { ...place, endLine: Math.min(place.endLine, place.startLine + 1) }),
    trace: [],
    suppressed: suppressed(rule.id, place.startLine),
  };
}

/** What a message calls a secret by. */
const masked = (secret: string): string => (secret.length >= 12 ? `${secret.slice(0, 4)}****` : "****");
