import type { Families, Match } from "./catalogue.ts";
import type { Knowledge } from "./knowledge.ts";
import { compiledTest, type Glossary, Meanings, pathIndex, regex, type Where } from "./meanings.ts";
import type { Model } from "./model-schema.ts";
import { expandBraces, lastSegment, segmentOf } from "./paths.ts";
import type { Rule } from "./rule-schema.ts";
import type { BySection, Section, Statement } from "./statements.ts";

/** Which of the names that a statement is about are wanted: by the last segment of a path, or by a key. */
type Wanted = (segment: string) => boolean;

/** Where what a statement says goes to, as far as it is about names that are wanted. */
interface Target {
  readonly knowledge: Knowledge;
  readonly wanted: Wanted;
  readonly reader: StatementReader;
  /** Says something of each wanted path that a pattern stands for, and notes all of them as known. */
  readonly say: (pattern: string, add: (path: string) => void) => void;
}

/** Reads what rules and models say of one language. */
export class StatementReader {
  readonly rules: readonly Rule[];
  readonly meanings: Meanings;
  readonly bitsOf: (families: "all" | readonly string[]) => Families;
  /** The kinds of input that rules ask about. */
  readonly asked: ReadonlySet<string>;

  /** @param rules those of the language that follow values, as far as they are on */
  constructor(glossary: Glossary, rules: readonly Rule[]) {
    this.rules = rules;
    this.meanings = new Meanings(glossary, rules);
    this.bitsOf = (families) => glossary.bitsOf(families);
    this.asked = new Set(rules.flatMap((rule) => [...glossary.kinds(rule.taint?.sources ?? [])]));
  }

  /** What holds whatever is asked. */
  begin(knowledge: Knowledge, models: readonly Model[]): void {
    for (const { sources, entryPoints } of models) {
      for (const { shallow, kind } of sources) if (shallow && this.asked.has(kind)) knowledge.shallowKinds.add(kind);
      for (const entry of entryPoints) {
        if (entry.names && !entry.method && !entry.exported) {
          const { entryNames } = knowledge;
          const point = this.meanings.entryPoint(entry);
          // What says what parameters are not is asked before what says what they are.
          if (entry.instead) entryNames.unshift(point);
          else entryNames.push(point);
        }
        if (entry.exported) knowledge.hasEntryExports = true;
      }
    }
  }

  /** Adds a statement, as far as it is about names that are wanted. */
  read<S extends Section>(statement: Statement<S>, knowledge: Knowledge, wanted: Wanted): void {
    const say: Target["say"] = (pattern, add) => addPaths(knowledge, pattern, wanted, add);
    sections[statement.section](statement.entry, { knowledge, wanted, reader: this, say }, statement.by);
  }
}

const sections: BySection<Target> = {
  // What rules look for.
  patterns(entry, { knowledge, wanted, reader }, by) {
    const { unlessFact } = by;
    const asked =
      unlessFact === undefined
        ? entry
        : reader.meanings.once(entry, () => ({ ...entry, unless: [...entry.unless, { fact: unlessFact }] }));
    const match = reader.meanings.match(by, asked);
    place(knowledge, entry, match, wanted);
    if (!entry.define || !wanted(entry.define.method)) return;
    const { method, body, parameters } = entry.define;
    knowledge.definitions.add(method, { match, body, parameters: regex(parameters) });
  },
  ownSinks: (entry, { knowledge, wanted, reader }, by) =>
    place(knowledge, entry, reader.meanings.match(by, entry), wanted),
  sinks(entry, { knowledge, wanted, reader }) {
    for (const rule of reader.rules)
      if (rule.family === entry.family && !rule.taint?.ownSinks)
        place(knowledge, entry, reader.meanings.match(rule, entry), wanted);
  },

  // What becomes of values.
  sources(entry, { knowledge: { calls, reads }, reader, say }) {
    // What no rule asks about is nobody's input: configuration, arguments of a command line.
    if (!reader.asked.has(entry.kind)) return;
    const source = reader.meanings.source(entry);
    if (entry.call) say(entry.call, (path) => calls.put("sources", path, source));
    if (entry.read) say(entry.read, (path) => reads.put("sources", path, source));
  },
  sanitizers(entry, { knowledge: { calls, reads }, reader, say }) {
    const sanitizer = reader.meanings.sanitizer(entry);
    if (entry.call) say(entry.call, (path) => calls.put("sanitizers", path, sanitizer));
    if (entry.read) say(entry.read, (path) => reads.put("sanitizers", path, sanitizer));
  },
  decoders({ call, undoes }, { knowledge, reader, say }) {
    const undone = reader.bitsOf(undoes);
    say(call, (path) => knowledge.calls.put("decoders", path, undone));
  },
  everywhere(entry, { knowledge, reader, say }) {
    const { call, cleans, of, when } = entry;
    const cleaned = reader.meanings.once(entry, () => {
      return { cleans: reader.bitsOf(cleans), of, when: when.map(compiledTest) };
    });
    say(call, (path) => knowledge.calls.put("everywhere", path, cleaned));
  },
  returns(entry, { knowledge: { calls, reads }, reader, say }) {
    const { call, read, gives, when } = entry;
    if (call && when.length > 0) {
      const made = reader.meanings.once(entry, () => ({ gives, when: when.map(compiledTest) }));
      say(call, (path) => calls.put("makes", path, made));
    } else if (call) say(call, (path) => calls.put("returns", path, gives));
    if (read) say(read, (path) => reads.put("holds", path, gives));
  },
  outputs(entry, { knowledge, reader, say }) {
    const { call, argument, from, kind = null, unless } = entry;
    if (kind !== null && !reader.asked.has(kind)) return;
    const output = reader.meanings.once(entry, () => {
      return { arguments: argument, from, kind, unless: unless.map(compiledTest) };
    });
    say(call, (path) => knowledge.calls.put("outputs", path, output));
  },
  containers: ({ call, does }, { knowledge, say }) =>
    say(call, (path) => knowledge.calls.put("containers", path, does)),
  keeps: (entry, { knowledge, say }) => say(entry.call, (path) => knowledge.calls.put("keeps", path, entry)),
  cleanTypes(type, { knowledge, wanted }) {
    if (wanted(lastSegment(type))) knowledge.cleanTypes.add(type);
  },
  library: (path, { say }) => say(path, () => {}),

  // What tests and validators tell.
  guards(entry, { knowledge, wanted, reader }) {
    const guard = reader.meanings.once(entry, ({ of, cleans, asksFields, ofParts, when, unless, answer, throws }) => {
      const tests = { when: when.map(compiledTest), unless: unless.map(compiledTest) };
      return { of, cleans: reader.bitsOf(cleans), asksFields, ofParts, ...tests, answer, throws };
    });
    for (const path of expanded(entry.call)) if (wanted(segmentOf(path))) knowledge.calls.put("guards", path, guard);
  },
  schemas(entry, { knowledge, reader, say }) {
    const schema = reader.meanings.once(entry, ({ is, of, part, lets, when }) => {
      return { is, of, part, lets, when: when.map(compiledTest) };
    });
    say(entry.call, (path) => knowledge.calls.put("schemas", path, schema));
  },
  parsers(entry, { knowledge, reader, say }) {
    const parser = reader.meanings.once(entry, ({ argument, schema, gives, tells, hands, receiver }) => {
      return { argument, schema, gives, tells, hands, receiver: regex(receiver) };
    });
    say(entry.call, (path) => knowledge.calls.put("parsers", path, parser));
  },
  checked(name, { knowledge, wanted }) {
    if (wanted(name)) knowledge.checked.add(name);
  },
  generated: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.generated.add(path)),
  fieldChecks: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.fieldChecks.add(path)),
  constraints(entry, { knowledge, reader, say }) {
    const { decorator, pattern = null, cleans = [], asks = null } = entry;
    const constraint = reader.meanings.once(entry, () => ({ pattern, cleans: reader.bitsOf(cleans), asks }));
    say(decorator, (path) => knowledge.constraints.put(path, constraint));
  },
  validations(entry, { knowledge, reader, say }) {
    const { decorator, of, report } = entry;
    const validation = reader.meanings.once(entry, () => ({ of, report: pathIndex(report) }));
    if (report) say(report, () => {});
    say(decorator, (path) => knowledge.validations.put(path, validation));
  },
  facts(entry, { knowledge, reader, say }) {
    const fact = reader.meanings.once(entry, ({ sets, of, when }) => {
      return { sets, ofReceiver: of === "receiver", when: when.map(compiledTest) };
    });
    if (entry.call) say(entry.call, (path) => knowledge.calls.put("facts", path, fact));
    if (entry.assign) say(entry.assign, (path) => knowledge.assignedFacts.put(path, fact));
  },
  exits: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.calls.put("exits", path, true)),
  asserts: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.calls.put("asserts", path, true)),
  refutes: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.calls.put("asserts", path, false)),

  // Who calls whom, and what lies between files.
  entryPoints: addEntryPoint,
  deferred({ method, ...way }, { knowledge, wanted }) {
    if (wanted(method)) knowledge.deferred.add(method, way);
  },
  shortened({ prefix, own }, { knowledge, wanted }) {
    if (wanted(prefix)) knowledge.shortened.add(prefix, own);
  },
  announcements: ({ call, argument }, { knowledge, say }) =>
    say(call, (path) => knowledge.calls.put("announcements", path, argument)),
  listeners({ decorator, parameterDecorator, method }, { knowledge: { listeners }, wanted, say }) {
    if (decorator) say(decorator, (path) => listeners.put(path, "function"));
    if (parameterDecorator) say(parameterDecorator, (path) => listeners.put(path, "parameter"));
    if (method && wanted(method)) listeners.put(method, "method");
  },
  helpers(entry, { knowledge, reader, say }) {
    const { call, decorator, table, name, function: given, shown, when } = entry;
    const helper = reader.meanings.once(entry, () => ({ name, given, shown, when: when.map(compiledTest) }));
    if (call) say(call, (path) => knowledge.calls.put("helpers", path, helper));
    if (decorator) say(decorator, (path) => knowledge.helperDecorators.put(path, helper));
    if (table) say(table, (path) => knowledge.helperTables.put(path, helper));
  },
  settings: (entry, { knowledge, say }) => say(entry.call, (path) => knowledge.calls.put("settings", path, entry)),
  templates(entry, { knowledge, wanted, say }) {
    const add = (path: string) => knowledge.calls.put("templates", path, entry);
    if (!entry.own) return say(entry.call, add);
    for (const path of expanded(entry.call)) if (wanted(segmentOf(path))) add(path);
  },
  fills: (entry, { knowledge, say }) => say(entry.call, (path) => knowledge.calls.put("fills", path, entry)),
  carriers: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.carriers.add(path)),
  holders: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.holders.add(path)),
  bags: (pattern, { knowledge, say }) => say(pattern, (path) => knowledge.bags.add(path)),
};

function addEntryPoint(entry: Model["entryPoints"][number], { knowledge, wanted, reader, say }: Target): void {
  const point = reader.meanings.entryPoint(entry);
  for (const path of [entry.with, entry.without]) if (path) say(path, () => {});
  for (const type of [...entry.parameters, entry.self, entry.type].filter((path) => path !== undefined)) {
    say(type, () => {});
    if (wanted(lastSegment(type))) knowledge.carriers.add(type);
  }
  if (entry.call) say(entry.call, (path) => knowledge.calls.put("entries", path, point));
  if (entry.decorator) say(entry.decorator, (path) => knowledge.entryDecorators.put(path, point));
  if (entry.of) say(entry.of, () => {});
  for (const name of entry.method ? expanded(entry.method) : [])
    if (wanted(name)) knowledge.entryMethods.add(name, point);
  if (entry.parameterDecorator) {
    const passed = reader.meanings.once(entry, () => {
      const kind = entry.type ? null : (entry.others ?? "http-query");
      const isDeclared = entry.declared === true;
      return { kind, type: entry.type ?? null, isDeclared, unless: point.unless, calls: entry.calls ?? null, point };
    });
    say(entry.parameterDecorator, (path) => knowledge.parameterDecorators.put(path, passed));
  }
  for (const name of entry.exported ? expanded(entry.exported) : [])
    if (wanted(name)) knowledge.entryExports.add(name, point);
}

/** Has the places that a statement names looked at for a match. */
function place(knowledge: Knowledge, at: Where, match: Match, wanted: Wanted): void {
  if (at.call) addPaths(knowledge, at.call, wanted, (path) => knowledge.calls.put("checks", path, match));
  if (at.read) addPaths(knowledge, at.read, wanted, (path) => knowledge.reads.put("checks", path, match));
  if (at.assign) addPaths(knowledge, at.assign, wanted, (path) => knowledge.assigns.put(path, match));
  for (const key of at.entry ? expanded(at.entry) : []) if (wanted(key)) knowledge.entries.add(key, match);
}

/** Registers the wanted ones of the paths that a pattern stands for, and notes their prefixes as known names. */
function addPaths(knowledge: Knowledge, pattern: string, wanted: Wanted, add: (path: string) => void): void {
  for (const path of expanded(pattern)) {
    if (wanted(segmentOf(path))) add(path);
    if (path.startsWith("*")) continue;
    const known = (name: string) => wanted(lastSegment(name)) && knowledge.known.add(name);
    for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) known(path.slice(0, dot));
    known(path.endsWith("()") ? path.slice(0, -2) : path);
  }
}

/** The paths of a pattern; it is read for each name that it has. */
function expanded(pattern: string): readonly string[] {
  const paths = expansions.get(pattern) ?? expandBraces(pattern);
  expansions.set(pattern, paths);
  return paths;
}
const expansions = new Map<string, readonly string[]>();
