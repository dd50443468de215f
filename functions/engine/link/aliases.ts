import type { FileArtefact } from "../artefact.ts";

export type Aliases = FileArtefact["link"]["aliases"];

/** Where the names that a file hands on lead: what `member` is called in other files. */
export function aliased(aliases: Aliases, member: string): string[] {
  const [first, ...others] = member.split(".") as [string, ...string[]];
  return aliases.flatMap(({ name, target }) => {
    if (name.includes("."))
      return member === name || member.startsWith(`${name}.`) ? [`${target}${member.slice(name.length)}`] : [];
    const rest = name === first ? others : name === "default" || name === "*" ? [first, ...others] : null;
    if (rest === null) return [];
    return [rest.length === 0 ? target : [target.replace(/\(\)$/, ""), ...rest].join(".")];
  });
}

/** What is taken out of a table is any of what the table has. */
const isOfTable = /^[A-Z][A-Z\d_]*\.get(\.|$)/;

/**
 * `makeStore(kind).find`, `if kind == "csv": return CsvExporter()`: a function that gives objects of several classes goes by each of them.
 * In Python it does so by itself.
 */
export function givesSeveral(path: string, aliases: Aliases, wanted: string): boolean {
  if (isOfTable.test(wanted)) return true;
  const [first, ...members] = wanted.split(".");
  return (members.length > 0 || path.endsWith(".py")) && aliases.filter(({ name }) => name === first).length > 1;
}

/** `container.orders.find`, where the container is one of a class of this file that has its orders from elsewhere. */
export const hasKept = ({ coverage, link }: FileArtefact, onward: string): boolean =>
  coverage.language === "python" &&
  /^_*\p{Lu}/u.test(onward) &&
  link.aliases.some(({ name }) => name.includes(".") && onward.startsWith(`${name}.`));

/** `export default class ListJob extends Job`, `export const shelf = new Shelf()`: a member that the class has from another. */
export function declaresClass({ coverage, link }: FileArtefact, member: string): boolean {
  const owner = member.slice(0, member.indexOf(".") + 1);
  return (
    /^(java|type)script$/.test(coverage.language) &&
    /^\p{Lu}/u.test(owner) &&
    [...link.classes, ...link.exports].some(({ name }) => `${name}.`.startsWith(owner))
  );
}

/** `Query.where.orderBy.toSql`: what gives an object of a class of its file goes by that. */
export function ofMade({ link: { exports } }: FileArtefact, file: string, member: string): string {
  const written = member.split(".");
  // In Java the file goes by the name of its class: `Query.builder().where`.
  const isOfFile = written.length > 1 && exports.some(({ name }) => name === `${file}.${written[0]}`);
  const [first, ...names] = (isOfFile ? [file, ...written] : written) as [string, ...string[]];
  if (names.length < 2) return member;
  const method = names.pop() as string;
  let type = first;
  for (const name of names) {
    const made = exports.find((exported) => exported.name === `${type}.${name}`)?.makes;
    if (made === undefined) return member;
    type = made;
  }
  return `${type}.${method}`;
}
