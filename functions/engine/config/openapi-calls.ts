import type { LinkRecord } from "../artefact.ts";
import { excerptOf } from "../findings/excerpt.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import type { TimeLimit } from "../time-limit.ts";
import { type ConfigNode, TooLarge } from "./config-node.ts";
import { readYaml } from "./yaml-reader.ts";

type Call = LinkRecord["calls"][number];

/** A document that names functions of the application, and not only what its clients call them. */
const namesFunctions = /\boperationId["']?:\s*["']?\w+\.\w|\bx-(?:openapi|swagger)-router-controller\b/;
const isOperation = /^(?:get|put|post|delete|patch|options|head)$/;
/** More parameters are those of a document that was generated from many. */
const callsMax = 500;
const codeMax = 120;

const kinds: Readonly<Record<string, string | undefined>> = {
  path: "http-path",
  query: "http-query",
  formData: "http-body",
  body: "http-body",
};

/**
 * What a framework calls the functions with that an OpenAPI document names as its handlers, `operationId: shop.files.read`: they take the
 * parameters under their names. Null where it names none. @throws TimeUp
 */
export function openapiCalls(text: string, lines: LineIndex, limit: TimeLimit): Call[] | null {
  if (!namesFunctions.test(text) || !/\b(?:openapi|swagger)\b/.test(text)) return null;
  try {
    const { roots } = readYaml(text, 0, limit);
    const paths = under(roots, "paths").flatMap(({ entries }) => entries);
    const calls = paths.flatMap((path) =>
      path.entries
        .filter(({ key }) => isOperation.test(key))
        .flatMap((operation) => callsOf(roots, path, operation, text, lines)),
    );
    return calls.slice(0, callsMax);
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

function callsOf(
  roots: readonly ConfigNode[],
  path: ConfigNode,
  operation: ConfigNode,
  text: string,
  lines: LineIndex,
): Call[] {
  const target = handlerOf(path, operation);
  if (target === null) return [];
  const call = (argument: string, sourceKind: string, at: ConfigNode): Call => {
    const code = excerptOf(text, at, codeMax);
    const step = { ...lines.place(at.start, at.end), code, role: "source" as const };
    return { target, argument, clean: [], trace: [step], from: { sourceKind, source: argument, confidence: 1 } };
  };
  const parameters = under([path, operation], "parameters").flatMap(({ entries }) => entries);
  const bodies = under([operation], "requestBody");
  return [
    ...parameters.flatMap((written) => {
      const parameter = referred(roots, written);
      const [name, place] = [textAt(parameter, "name"), textAt(parameter, "in")];
      const kind = kinds[place ?? ""];
      // Hyphens are no part of names in programs.
      return name && kind && !isChecked(parameter) ? [call(name.replace(/\W/g, "_"), kind, written)] : [];
    }),
    ...bodies.map((body) => call(textAt(body, "x-body-name") ?? "body", "http-body", body)),
  ];
}

function handlerOf(path: ConfigNode, operation: ConfigNode): string | null {
  const id = textAt(operation, "operationId");
  const controllers = ["x-openapi-router-controller", "x-swagger-router-controller"];
  const controller = controllers.map((key) => textAt(operation, key) ?? textAt(path, key)).find((name) => name);
  const name = controller && id ? `${controller}.${id}` : id;
  return name && /^\w+(?:\.\w+)+$/.test(name) ? name : null;
}

/** What a number, one of several values or a text of a given form leaves nothing of to attack with. */
function isChecked(parameter: ConfigNode): boolean {
  const schemas = [parameter, ...under([parameter], "schema")];
  return schemas.some(
    (schema) =>
      /^(?:integer|number|boolean)$/.test(textAt(schema, "type") ?? "") ||
      /^(?:uuid|date|date-time)$/.test(textAt(schema, "format") ?? "") ||
      under([schema], "enum").length > 0 ||
      /^\^.*\$$/.test(textAt(schema, "pattern") ?? ""),
  );
}

/** `$ref: "#/components/parameters/name"` */
function referred(roots: readonly ConfigNode[], node: ConfigNode): ConfigNode {
  const reference = textAt(node, "$ref");
  if (!reference?.startsWith("#/")) return node;
  const found = reference
    .slice(2)
    .split("/")
    .reduce<readonly ConfigNode[]>((nodes, key) => under(nodes, key), roots);
  return found[0] ?? node;
}

const under = (nodes: readonly ConfigNode[], key: string): ConfigNode[] =>
  nodes.flatMap(({ entries }) => entries.filter((entry) => entry.key === key));

const textAt = (node: ConfigNode, key: string): string | null => under([node], key)[0]?.value ?? null;
