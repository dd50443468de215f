import { expression } from "../catalogue/expression.ts";
import type { Call, ClassStatement, Expression } from "../ir/ir.ts";
import { type Names, written } from "./names.ts";
import { recordStatement } from "./record-statement.ts";
import { argumentOf, pathText } from "./registration.ts";
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
const idKey = expression(
  "(?i)^(_?id|pk|u?uid|guid|slug|number|no|code|ref(erence)?|\\w+(_id|Id|_uuid|Uuid|_no|No|_number|Number))$",
);
const ownerKey = expression(
  "(?i)^(user|owner|author|customer|account|member|creator|created_?by|uploaded_?by|sender|recipient|receiver|tenant|patient|seller|buyer|vendor|student|employee|company|organi[sz]ation|team|workspace|profile)s?(_?ids?|_?name|_?email|_?pk)?$",
);
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
    if (form.statement) return this.#ofStatement(call, form.of, parametersOf());
    const about = argumentOf(call, form.of);
    const record = about ? this.#recordOf(about) : null;
    if (record === null) return null;
    const parameters = parametersOf();
    const chosen = form.by.flatMap((key) => argumentOf(call, key) ?? []);
    const named = form.by.includes("**") ? call.args.filter(({ name }) => name !== null) : [];
    const asked = [
      ...chosen.flatMap((value) => conditions(value, null, 0)),
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

  /** A statement tells by its columns what chooses the records, and the function around it what is filled in. */
  #ofStatement(call: Call, key: Key, parameters: ReadonlySet<string>): RecordUse | null {
    const given = argumentOf(call, key);
    const text = given?.kind === "variable" ? this.#names.assigned(given.name) : given;
    const statement = recordStatement(pathText(text) ?? "");
    const record = statement && recordNamed(statement.table);
    if (!statement || !text || !record) return null;
    const owned = statement.columns.some((column) => ownerKey.test(column));
    const others = call.args.flatMap(({ value }) => (value === given ? [] : partsOf(value)));
    // What is prepared is filled in later.
    const isChosen =
      others.length > 0 || text.kind !== "literal"
        ? [...others, text].some((value) => this.#isInput(value, parameters, 0))
        : [...parameters].some((name) => idKey.test(name));
    const { columns } = statement;
    return {
      record,
      byId: isChosen && !owned && columns.length > 0 && columns.every((column) => idKey.test(column)),
      owned,
    };
  }

  /** The kind of record that a class with a field for its owner describes. */
  owned({ name, body }: ClassStatement): string | null {
    const has = body.some((statement) => {
      if (statement.kind !== "expression" || statement.value.kind !== "assign") return false;
      const { to } = statement.value;
      return (to.kind === "variable" || to.kind === "field") && ownerKey.test(to.name.replace(/^\$/, ""));
    });
    return has ? recordNamed(name) : null;
  }

  #recordOf(about: Expression): string | null {
    let here = about;
    // `db.collection("orders")`, `session.query(Order)`, `getRepository(Order)`.
    while (here.kind === "call" || here.kind === "field") {
      const [first] = here.kind === "call" ? here.args : [];
      if (here.kind === "call" && first && keeping.test(lastName(here.callee))) {
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

const lastName = (callee: Expression): string =>
  callee.kind === "field" || callee.kind === "variable" ? callee.name : "?";

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
  if (value.kind === "operation" && /^(&|&&|and)$/.test(value.operator))
    return value.operands.flatMap((part) => conditions(part, null, depth + 1));
  return [{ key, value }];
}
