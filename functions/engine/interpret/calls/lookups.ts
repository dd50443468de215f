import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { isClassName } from "../names.ts";
import type { Run } from "../run.ts";
import { allTaint } from "../value.ts";
import { givesNoText, mayMakeText } from "./call-names.ts";
import type { Called } from "./called.ts";

/** Calls that give what is kept somewhere, and nothing that was made of what they are asked with. */

const lookups = /^(find|get|load|fetch|look_?up|locate|query|select|retrieve|read)/i;
/** Words of a name that asks for where something lies, and for text. */
const asksForPlace = /path|file|folder|dir/i;
const asksForText = /path|file|folder|dir|ur[il]|text|html|string|message|template|query/i;
/** What objects are looked up in; in Django the manager of a class of records and what narrows it down. */
const keepers =
  /(store|repository|repo|registry|dao|_db|collection|[a-z]locator|(^|[?.])([dt](b|x)|objects|exclude|(select|prefetch)_related))(\(\))?$|\.filter\(\)$/i;
/** Classes of Java that hand out objects of one kind, also by way of their only instance. */
const managers = /[a-z](Manager|Locator|Registry|Cache)(\.getInstance\(\))?$/;

/** What is called after many of a kind, or after what keeps them: `status.getInstances()`, `handlerMap`. */
const manyOfAKind = remembered((name) => /(map|cache|[a-z]{2}s)(\(\))?$/i.test(name));

/**
 * `status.getInstances().get(id)`, `deployer.getStatus(id)` of Java give one of many, of which nothing is made of the key; where the class is
 * among the files it is asked instead.
 */
export const isElement = ({ language }: Run, { callee, args }: Call, { names }: Called): boolean =>
  language === "java" &&
  callee.kind === "field" &&
  !isClassName(callee.of) &&
  ((callee.name === "get" && args.length === 1 && names.some(manyOfAKind)) ||
    (asksFor(callee.name).looksUp && !asksForText.test(callee.name) && names.some(serves)));

/**
 * `clients.getClientByName(name)`, `model_store.get_version(name)`, `users.Get(ctx, tx, name)` give what is kept under the name, wherever
 * that is, and so do services that a class of C# has been handed; asked of input itself, it would be a part of it.
 */
export function isLookup({ language }: Run, { callee, args }: Call, { receiver, names }: Called): boolean {
  if (callee.kind !== "field" || args.length === 0) return false;
  const isInput = receiver?.taint.some(
    (t) => !t.source.parameter && t.source.outside === null && !t.via?.some(({ trusted }) => trusted),
  );
  if (isInput !== false) return false;
  const isKept = () => names.some((name) => isKeeper(name) || holdsAll(name, callee.name));
  const { looksUp, findsBy, looksUpBy } = asksFor(callee.name);
  if (!looksUp) return findsBy && isKept();
  if (looksUpBy || (isOfContext(language, callee.of) && !asksForPlace.test(callee.name))) return true;
  const isHeld = () => language === "csharp" && names.some((name) => /(^|[?.])_[a-z]\w*$/.test(name));
  const isManaged = () => isHeld() || (!isClassName(callee.of) && names.some((name) => managers.test(name)));
  return (
    (!asksForPlace.test(callee.name) && (isKept() || args.some(({ value }) => isTransaction(value)))) ||
    (!asksForText.test(callee.name) && isManaged())
  );
}

const isKeeper = remembered((name) => keepers.test(name));

const asksFor = remembered((name) => ({
  looksUp: lookups.test(name) || /^[Bb]y[A-Z]/.test(name),
  findsBy: /^[A-Z]\w*By[A-Z]/.test(name),
  looksUpBy: /By[A-Z]|_by_|^by[A-Z]|^get(User|Account|Customer|Member|Session)For[A-Z]/.test(name),
}));

/**
 * `extensions.get_extension(name)`, `sessions().getUserSession(id)`, `plugin_engine.get_plugin(name)`: what is called after many of a kind, or
 * after what is in charge of it, hands out one of them.
 */
function holdsAll(of: string, asked: string): boolean {
  const kind = asked.replace(lookups, "").replaceAll("_", "").toLowerCase();
  const written = lastSegment(of).replace(/[?$_()]/g, "");
  const many = written.toLowerCase();
  if (kind.length < 3) return false;
  // What a class itself is asked for may be made by it.
  const isInCharge = many.startsWith(kind) && inCharge.test(many.slice(kind.length)) && !/^\p{Lu}/u.test(written);
  return isInCharge || isEndOf(many, `${kind}s`) || isEndOf(many, `${kind.slice(0, -1)}ies`);
}

const inCharge = /^(engine|manager|registry|loader|pool|catalog(ue)?|holder|collection)$/;

const isEndOf = (many: string, all: string): boolean => many.length > 3 && all.endsWith(many);

/** `db_fetch_all("SELECT * FROM notes WHERE id = $id")`: what is asked in SQL answers with what is stored, and not with the question. */
export function isQueried({ language }: Run, { callee }: Call, { positional: [first] }: Called): boolean {
  if (!asksInSql.has(language) || !first) return false;
  const [constant] = first.constants ?? [];
  const begins = typeof constant === "string" ? constant : (first.prefix ?? "");
  const name = lastName(callee);
  if (!/^\s*\(?(select|show|describe|explain)\s/i.test(begins)) return false;
  return name.length <= nameMax && asksDatabase.test(name) && !makesSql.test(name);
}

const asksInSql: ReadonlySet<string> = new Set(["php", "javascript", "python"]);
/** UTF-16 units of a name that somebody has written. */
const nameMax = 100;
const asksDatabase =
  /query|quer[iy]|fetch|select|exec|get|find|row|all|one|col|load|result|assoc|array|cell|value|first|many|any|^_?db|^sql/i;
const makesSql =
  /(get|make|build|prepare|add|parse|format|fix|create|limit|escape|quote|replace|log|print|debug)\w*(sql|quer|string|text|statement)|sprintf|limit|prepare|format|escape|quote|replace|html|text|debug|call/i;

/** `root.getResource(path)` gives what lies there: the path may lead astray, but neither text nor address of it were made of the path. */
export const isResource = ({ language }: Run, { callee }: Call): boolean =>
  language === "java" && callee.kind === "field" && /^get(Web)?Resource(Internal|Object)?$/.test(callee.name);

/** `store.MediaFile(ctx).Get(id)`: what Go makes for the time of a request are the records of one kind, as nobody else needs its context. */
const isOfContext = (language: Run["language"], of: Expression): boolean =>
  language === "go" && of.kind === "call" && of.args.some(({ value }) => isContext(value));

const isContext = (e: Expression): boolean => e.kind === "variable" && e.name === "ctx";

/** `users.Get(ctx, tx, name)`: what a function needs the database for comes from there. */
function isTransaction(given: Expression): boolean {
  const called = given.kind === "call" ? given.callee : given;
  const name = called.kind === "field" || called.kind === "variable" ? called.name : "";
  return /^(db|tx)$/i.test(name);
}

/** `new Order($_GET["order_id"])`, `$orders->findOne($id)`, `shares.Load(ctx, id)`: what is asked for by an identifier is what is kept under it. */
export function isIdentified(run: Run, call: Call, called: Called): boolean {
  const { callee, args, isNew } = call;
  if (run.language === "java") return isOneOfAKind(call, called);
  const name = lastName(callee);
  if (run.language === "go")
    return (
      callee.kind === "field" &&
      asksFor(name).looksUp &&
      !asksForText.test(name) &&
      args.some(({ value }) => isIdentifier(value)) &&
      args.every(({ value }) => isIdentifier(value) || isContext(value))
    );
  return (
    run.language === "php" &&
    (isNew || /^(find|get|load|fetch|look_?up|retrieve)/.test(name)) &&
    args.some(({ value }) => isIdentifier(value)) &&
    args.every(({ value }) => isIdentifier(value) || value.kind === "literal")
  );
}

/** `sessions.getUserSession(realm, id)` of Java: nothing else that comes from outside decides which one it is. */
const isOneOfAKind = ({ callee, args }: Call, { positional, receiver }: Called): boolean =>
  callee.kind === "field" &&
  getsOne.test(callee.name) &&
  !asksForText.test(callee.name) &&
  !isClassName(callee.of) &&
  (receiver?.taint.length ?? 0) === 0 &&
  args.some(({ value }) => isIdentifier(value)) &&
  positional.every((value, i) => allTaint(value).length === 0 || isIdentifier(args[i]?.value ?? callee));

const getsOne = /^(find|get|load|fetch|lookUp|lookup|retrieve)[A-Z]/;

/** Whether something is called after the identifier that it holds. */
function isIdentifier(e: Expression): boolean {
  if (e.kind === "index") return e.key?.kind === "literal" && identifierName.test(String(e.key.value));
  return (e.kind === "variable" || e.kind === "field") && identifierName.test(e.name);
}

const identifierName = /(^\$?|_)([a-z]{0,2}id|ID)$|[a-z](Id|ID)$/;

/** What layers of an application are called that do something for others. */
const serves = remembered((name) =>
  /[a-z](service|manager|client|deployer|facade|gateway|repository|dao|provider|operations)(\(\))?$/i.test(name),
);

/** `handler.send_thumbnail(size)` answers by itself, whatever it is asked of. */
export const answersItself = ({ language }: Run, { callee }: Call): boolean =>
  language === "python" && callee.kind === "field" && /^_*(send|serve|stream)_/.test(callee.name);

const saysSomething = remembered((name) => /message|msg|error|build|echo|hello|greet|say/i.test(name));

/**
 * `await orders.find(id)` gives an order, and no text that was made of the id, unless it is called after making text; so does
 * `orders.findMany(query)`, which its caller waits for.
 */
export const isFetched = (run: Run, { awaited, callee }: Call, { receiver, names }: Called): boolean => {
  const name = callee.kind === "field" || callee.kind === "variable" ? callee.name : "html";
  // A list that is known is gone through, and nobody asked.
  const held = receiver?.slots?.shape === "list" ? allTaint(receiver) : receiver?.taint;
  if (held?.some(({ source }) => !source.parameter && source.outside === null)) return false;
  if (run.language === "python" && givesNoText(name)) return true;
  // Helpers that all of a program sees.
  if (run.language === "ruby" && callee.kind === "variable") return !mayMakeText(name);
  if (run.language === "java")
    return (
      callee.kind === "field" &&
      !isClassName(callee.of) &&
      names.some(serves) &&
      !mayMakeText(name) &&
      !saysSomething(name)
    );
  const isQuery =
    run.language === "javascript" && callee.kind === "field" && /^(find|fetch|count|paginate)(\p{Lu}|$)/u.test(name);
  return (awaited === true || isQuery) && !mayMakeText(name);
};
