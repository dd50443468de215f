import { lastName } from "../ir/called-name.ts";
import type { Call, ClassStatement, Expression } from "../ir/ir.ts";
import { argumentOf, pathText } from "./arguments.ts";
import { type Names, written } from "./names.ts";
import { comparisonsIn, readStatement, type Statement } from "./statement.ts";
import type { WebKnowledge } from "./web-knowledge.ts";
import type { Key } from "./web-schema.ts";

/** What a call does with the records of a kind. */
export interface RecordUse {
  /** Singular and in lower case, whatever repository, table or collection is called. */
  record: string;
  /** The record is chosen by an identifier of the request, and by nothing that says whose it is. */
  byId: boolean;
  /** Some call says whose records of this kind are. */
  owned: boolean;
}

/** Keys that choose a record; keys that say whose it is. */
const idKey = /^(_?id|pk|u?uid|guid|slug|number|no|code|ref(erence)?|\w+(_id|Id|_uuid|Uuid|_no|No|_number|Number))$/i;
const ownerKey =
  /^(user|owner|author|customer|account|member|creator|created_?by|uploaded_?by|sender|recipient|receiver|tenant|patient|seller|buyer|vendor|student|employee|company|organi[sz]ation|team|workspace|profile)s?(_?ids?|_?name|_?email|_?pk)?$/i;
/** Words around the name of a record that say how it is kept. */
const keeping =
  /^(objects?|query|queryset|find\w*|select|collections?|models?|repositor(y|ies)|repos?|db|database|prisma|client|session|manager|em|entitymanager|this|self|store|orm|knex|sequelize|mongoose|connection|conn|cursor|unscoped|all|get\w*|where|filter\w*|lean|exec|\?)$/i;
const keeper = /(_?(repository|repo|model|dao|mapper|service|collection|store|table|manager|entity|schema|crud))+$/i;
const wrapped = 3;

/** The kind of record that something is called after; null where the name says nothing. */
export function recordNamed(name: string): string | null {
  const words = name.replace(/\(\)/g, "").split(/[./]|::|->/);
  const own = words.findLast((word) => word.length > 0 && !keeping.test(word.replace(/^\$/, "")));
  const plain = own
    ?.replace(/^[$_]+/, "")
    .replace(keeper, "")
    .replace(/_/g, "")
    .toLowerCase();
  if (!plain || plain.length < 3) return null;
  return plain
    .replace(/ies$/, "y")
    .replace(/(ss|x|ch|sh)es$/, "$1")
    .replace(/([^s])s$/, "$1");
}

/** Finds out which records calls are about, and whether the request alone chooses them. */
export class Records {
  readonly #names: Names;
  readonly #knowledge: WebKnowledge;

  constructor(names: Names, knowledge: WebKnowledge) {
    this.#names = names;
    this.#knowledge = knowledge;
  }

  /** @param parametersOf the functions around the call: handlers get identifiers in them, and services from handlers */
  use(call: Call, names: readonly string[], parametersOf: () => ReadonlySet<string>): RecordUse | null {
    const [form] = this.#knowledge.registers(names).records;
    if (!form) return null;
    if (form.of === "statement" && form.by.includes("anything")) return this.#filled(call, parametersOf());
    const record = this.#about(call, form.of);
    if (record === null) return null;
    const parameters = parametersOf();
    const isStatement = form.by.includes("statement");
    // `db.First(&order, "id = ?", id)`: the condition is no identifier, what stands for its placeholders is.
    const chosen = form.by
      .flatMap((key) => argumentOf(call, key) ?? [])
      .filter((value) => !isStatement || typeof pathText(value) !== "string");
    const named = form.by.includes("**") ? call.args.filter(({ name }) => name !== null) : [];
    const asked = [
      ...chosen.flatMap((value) => conditions(value, null, 0)),
      ...(isStatement ? placeholders(call) : []),
      ...named.map(({ name, value }) => ({ key: (name as string).replace(/__.*$/, ""), value })),
    ];
    const owners = asked.filter(({ key }) => key !== null && ownerKey.test(key));
    // An owner that the request names is chosen by whoever sends it.
    const isInput = ({ value }: { value: Expression }) => this.#isInput(value, parameters, 0);
    const others = asked.filter((one) => !owners.includes(one));
    const byId =
      form.chooses &&
      asked.length > 0 &&
      asked.every(({ key }) => key === null || idKey.test(key) || ownerKey.test(key)) &&
      owners.every(isInput) &&
      (others.length === 0 || others.every(isInput));
    return { record, byId, owned: owners.length > 0 };
  }

  #about(call: Call, of: Key): string | null {
    if (of === "statement") {
      const statement = this.#statementIn(call)?.statement;
      return statement ? recordNamed(statement.table) : null;
    }
    const about = argumentOf(call, of);
    return about ? this.#recordOf(about) : null;
  }

  /** The statement among the arguments, which a variable may hold, and what stands for it there. */
  #statementIn({ args }: Call): { statement: Statement; text: Expression; given: Expression } | null {
    for (const { value: given } of args) {
      const text = given.kind === "variable" ? this.#names.assigned(given.name) : given;
      const statement = text && readStatement(pathText(text) ?? "");
      if (statement) return { statement, text, given };
    }
    return null;
  }

  /** A statement tells by its columns what chooses the records, and the function around it what is filled in. */
  #filled(call: Call, parameters: ReadonlySet<string>): RecordUse | null {
    const found = this.#statementIn(call);
    const record = found && recordNamed(found.statement.table);
    if (!found || !record) return null;
    const { statement, text, given } = found;
    const equal = statement.comparisons.filter(({ operator }) => operator === "=");
    const columns = [...equal.map(({ column }) => column), ...statement.written];
    const owned = columns.some((column) => ownerKey.test(column));
    const others = call.args.flatMap(({ value }) => (value === given ? [] : partsOf(value)));
    // What is prepared is filled in later.
    const isChosen =
      others.length > 0 || text.kind !== "literal"
        ? [...others, text].some((value) => this.#isInput(value, parameters, 0))
        : [...parameters].some((name) => idKey.test(name));
    return {
      record,
      byId: isChosen && !owned && columns.length > 0 && columns.every((column) => idKey.test(column)),
      owned,
    };
  }

  /** The kind of record that a class with a field for its owner describes. */
  owned({ name, body }: ClassStatement): string | null {
    const has = body.some((statement) => {
      const member = statement.kind === "expression" ? this.#memberOf(statement.value) : null;
      return member !== null && ownerKey.test(member);
    });
    return has ? recordNamed(name) : null;
  }

  /** The field that a statement of a class declares. */
  #memberOf(declaration: Expression): string | null {
    if (declaration.kind === "assign") {
      const { to } = declaration;
      return to.kind === "variable" || to.kind === "field" ? to.name.replace(/^\$/, "") : null;
    }
    const named = declaration.kind === "call" && this.#knowledge.namesOwner(written(declaration.callee));
    const [first] = named ? declaration.args : [];
    return first?.value.kind === "literal" ? String(first.value.value) : null;
  }

  #recordOf(about: Expression): string | null {
    let here = about;
    // `db.collection("orders")`, `session.query(Order)`, `getRepository(Order)`.
    while (here.kind === "call" || here.kind === "field") {
      const [first] = here.kind === "call" ? here.args : [];
      if (here.kind === "call" && first && keeping.test(lastName(here.callee) || "?")) {
        const named = first.value.kind === "literal" ? String(first.value.value) : written(first.value);
        const record = /^[\w.$\\]+$/.test(named) ? recordNamed(named.replace(/\.class$/, "")) : null;
        if (record !== null) return record;
      }
      if (here.kind === "field" && !keeping.test(here.name)) break;
      here = here.kind === "field" ? here.of : here.callee;
    }
    const name = written(about);
    return name.includes("?") ? null : recordNamed(name.replace(/\.class$/, ""));
  }

  #isInput(value: Expression, parameters: ReadonlySet<string>, depth: number): boolean {
    if (depth > wrapped) return false;
    if (value.kind === "call" && value.args.length > 0) {
      if (this.#names.of(value.callee).some((name) => this.#knowledge.isInput(name))) return true;
      return this.#isInput((value.args[0] as Call["args"][number]).value, parameters, depth + 1);
    }
    if (value.kind === "variable") {
      if (parameters.has(value.name)) return idKey.test(value.name.replace(/^\$/, ""));
      const from = this.#names.assigned(value.name);
      return from !== undefined && from !== value && this.#isInput(from, parameters, depth + 1);
    }
    if (value.kind === "operation")
      return value.operands.length > 0 && value.operands.some((part) => this.#isInput(part, parameters, depth + 1));
    return (
      (value.kind === "field" || value.kind === "index") &&
      this.#names.of(value).some((name) => this.#knowledge.isInput(name))
    );
  }
}

const partsOf = (value: Expression): Expression[] =>
  value.kind === "collection" ? value.entries.map((entry) => entry.value) : [value];

/** What placeholders choose records by: of the statement in a call, or of the conditions in a chain such as `db.Where("id = ?", id).First(&order)`. */
function placeholders(call: Call): Condition[] {
  const found: Condition[] = [];
  for (let here: Expression = call; here.kind === "call"; ) {
    const { args } = here;
    const at = args.findIndex(({ value }) => typeof pathText(value) === "string");
    const text = pathText(args[at]?.value) ?? "";
    const values = args.slice(at + 1).flatMap(({ value }) => partsOf(value));
    const all = readStatement(text)?.comparisons ?? comparisonsIn(text);
    for (const [i, { column, operator }] of all.entries()) {
      const value = values[values.length - all.length + i];
      // What is not compared for equality chooses as well, but by no identifier.
      if (value) found.push({ key: operator === "=" ? column : "?", value });
    }
    here = here.callee.kind === "field" ? here.callee.of : here.callee;
  }
  return found;
}

interface Condition {
  /** Null for an identifier that is passed as such. */
  key: string | null;
  value: Expression;
}

/** What a query asks of a record: the entries of maps, comparisons, or an identifier. */
function conditions(value: Expression, key: string | null, depth: number): Condition[] {
  if (depth > wrapped) return [{ key, value }];
  if (value.kind === "collection" && value.shape === "map")
    return value.entries.flatMap((entry) => {
      const name = entry.key?.kind === "literal" ? String(entry.key.value) : "?";
      // Options beside the conditions: what is shown and how it is sorted.
      if (
        /^(include|select|attributes|order|orderBy|populate|projection|limit|relations|raw|paranoid|transaction)$/.test(
          name,
        )
      )
        return [];
      return conditions(
        entry.value,
        /^(where|filter|query|\$eq|_id)$/.test(name) && name !== "_id" ? key : name,
        depth + 1,
      );
    });
  if (value.kind === "operation" && /^={2,3}$/.test(value.operator)) {
    const [left, right] = value.operands as [Expression, Expression];
    return [{ key: left.kind === "field" ? left.name : "?", value: right }];
  }
  // `orders.FirstOrDefault(o => o.Id == id)`
  const [only] = value.kind === "closure" ? value.fn.body : [];
  if (only?.kind === "return" && only.value) return conditions(only.value, null, depth + 1);
  if (value.kind === "operation" && /^(&|&&|and)$/.test(value.operator))
    return value.operands.flatMap((part) => conditions(part, null, depth + 1));
  return [{ key, value }];
}
