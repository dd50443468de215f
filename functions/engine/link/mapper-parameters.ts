import type { BoundName, FileArtefact } from "../artefact.ts";
import { isCleanType } from "../interpret/assign.ts";
import type { Run } from "../interpret/run.ts";
import type { FunctionNode, Module, Parameter } from "../ir/ir.ts";
import { append } from "../multimap.ts";

/** The types of the parameters of a mapper's methods, by method and by the names that statements know them under; empty for numbers and the like. */
export type MapperParameters = Record<string, Record<string, string>>;

const mapperName = /(Mapper|Dao|DAO|Repository)$/;

/** What the interfaces of a file declare whose statements may stand in files of their own. */
export function mapperParametersOf(run: Run, { body }: Module): { mappers?: MapperParameters } {
  if (run.language !== "java") return {};
  const methods = body.flatMap((statement) =>
    statement.kind === "class" && mapperName.test(statement.name)
      ? statement.body.flatMap((member) =>
          member.kind === "function" && member.fn.body.length === 0
            ? [[`${statement.name}.${member.fn.name}`, typesOf(run, member.fn)] as const]
            : [],
        )
      : [],
  );
  const typed = methods.filter(([, types]) => Object.keys(types).length > 0);
  return typed.length > 0 ? { mappers: Object.fromEntries(typed) } : {};
}

const typesOf = (run: Run, { params }: FunctionNode): Record<string, string> =>
  Object.fromEntries(params.flatMap((param) => (param.type ? [[nameOf(param), typeOf(run, param.type)]] : [])));

/** `@Param("name")`, else the name as it is. */
function nameOf({ name, decorators }: Parameter): string {
  const [given] = decorators.flatMap((decorator) => (decorator.kind === "call" ? decorator.args : []));
  return given?.value.kind === "literal" ? String(given.value.value) : name;
}

function typeOf(run: Run, type: string): string {
  if (isCleanType(run, type)) return "";
  return type.match(/<\s*(\w+)\s*>/)?.[1] ?? type.replace(/<.*$|\[\]/gs, "");
}

/** Tells whether the names that statements write into their text can be text at all. */
export class BoundNames {
  /** By the name of a class, the files that are called like it. */
  readonly #files = new Map<string, FileArtefact[]>();
  /** The methods that some file calls. */
  readonly #called: ReadonlySet<string>;

  constructor(artefacts: readonly FileArtefact[]) {
    this.#called = new Set(artefacts.flatMap(({ link }) => link.mapperCalls ?? []));
    for (const artefact of artefacts) {
      const name = artefact.coverage.path.match(/([^/]+)\.(java|kt)$/)?.[1];
      if (name !== undefined) append(this.#files, name, artefact);
    }
  }

  /** Whether the code says that the name stands for a number or the like. */
  isPlain({ method, name }: BoundName): boolean {
    const types = this.#typesOf(method);
    if (!types) return false;
    const [first, ...fields] = name.split(".") as [string, ...string[]];
    const all = Object.values(types);
    const own = Object.hasOwn(types, first) ? types[first] : undefined;
    if (own !== undefined) return own === "" || this.#hasPlain(own, fields.at(-1) ?? "name");
    // Statements call a method's only parameter as they like, and name the properties of an object without it.
    const [only] = all;
    return all.length === 1 && (only === "" || this.#hasPlain(only as string, fields.at(-1) ?? first));
  }

  /** The parameter of a method that is called somewhere, as a whole or its field, that the name stands for. */
  given({ method, name }: BoundName): { method: string; parameter: number; field: string | undefined } | null {
    const short = shortName(method);
    const names = Object.keys(this.#typesOf(method) ?? {});
    const [first, field] = name.split(".") as [string, string | undefined];
    const parameter = names.indexOf(first);
    return parameter < 0 || !this.#called.has(short) ? null : { method: short, parameter, field };
  }

  #typesOf(method: string): Record<string, string> | undefined {
    const [type] = method.split(".").slice(-2) as [string];
    const folder = method.split(".").slice(0, -1).join("/");
    const files = this.#files.get(type) ?? [];
    const mapper =
      files.length === 1
        ? files[0]
        : files.find(({ coverage: { path } }) => path.replace(/\.\w+$/, "").endsWith(folder));
    return mapper?.link.mappers?.[shortName(method)];
  }

  /** Whether a class has a field of numbers; all that an enumeration gives is written down, its name first of all. */
  #hasPlain(type: string, field: string): boolean {
    const files = this.#files.get(type) ?? [];
    return files.length === 1 && files[0]?.link.declared?.[field] === "all";
  }
}

/** "OrderMapper.find", without the package. */
const shortName = (method: string): string => method.split(".").slice(-2).join(".");
