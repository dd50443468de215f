import type { Json } from "../service.ts";

/** The function behind a method of the API, from its x-amazon-apigateway-integration. */
export interface Integration {
  /** The path as the API defines it, "/tasks/{task_id}". */
  readonly resource: string;
  readonly functionArn: string;
  /** The role that the API takes to invoke; without one the function's own policy must let API Gateway in. */
  readonly roleArn: string | undefined;
  readonly timeoutMs: number;
}

export interface Match {
  readonly integration: Integration;
  /** Decoded; null when the path has none, as in the event. */
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/** A path of the request that is not valid percent-encoding. */
export class MalformedPath extends Error {
  override readonly name = "MalformedPath";
}

type Methods = ReadonlyMap<string, Integration>;

interface Node {
  readonly literals: Map<string, Node>;
  parameter?: { readonly name: string; readonly node: Node };
  /** `{name+}`, which takes the rest of the path. */
  greedy?: { readonly name: string; readonly methods: Methods };
  methods?: Methods;
}

const httpMethods = new Set(["get", "put", "post", "delete", "patch", "head", "options"]);
const anyMethod = "x-amazon-apigateway-any-method";
/** Also the most that an integration may take without a quota increase. */
const timeoutMsDefault = 29_000;

/** The routes of a REST API, read from the OpenAPI body of the template. */
export class Routes {
  readonly #root: Node = { literals: new Map() };
  readonly #integrations: Integration[] = [];

  /** @throws Error for an integration that is not embedded, or two paths that mean the same */
  constructor(body: Json) {
    for (const [path, item] of Object.entries<Json>(body.paths ?? {})) this.#add(path, methodsOf(path, item));
  }

  /** Every integration of the API. */
  get integrations(): readonly Integration[] {
    return this.#integrations;
  }

  /**
   * The integration for a request. Literals go before `{parameter}`, that before `{proxy+}`; one trailing slash is no matter.
   * @param path as sent, without the query
   * @returns null when there is no such path or method, which API Gateway answers alike
   * @throws MalformedPath
   */
  match(method: string, path: string): Match | null {
    const segments = segmentsOf(path).map(decode);
    const found = find(this.#root, segments, []);
    const integration = found?.methods.get(method) ?? found?.methods.get(anyMethod);
    if (!found || !integration) return null;
    const pathParameters = found.parameters.length > 0 ? Object.fromEntries(found.parameters) : null;
    return { integration, pathParameters };
  }

  #add(path: string, methods: Methods): void {
    this.#integrations.push(...methods.values());
    let node = this.#root;
    const segments = segmentsOf(path);
    for (const [i, segment] of segments.entries()) {
      const [, name, plus] = /^\{([\w.\-:]+)(\+?)\}$/.exec(segment) ?? [];
      if (name && plus) {
        if (i < segments.length - 1 || node.greedy) throw new Error(`The path ${path} cannot be routed.`);
        node.greedy = { name, methods };
        return;
      }
      if (name) {
        node.parameter ??= { name, node: { literals: new Map() } };
        if (node.parameter.name !== name) {
          throw new Error(
            `${path}: {${name}} stands beside {${node.parameter.name}}; API Gateway takes one name only.`,
          );
        }
        node = node.parameter.node;
      } else {
        if (/[{}]/.test(segment)) throw new Error(`The path ${path} mixes text and a parameter in one segment.`);
        node.literals.set(segment, node.literals.get(segment) ?? { literals: new Map() });
        node = node.literals.get(segment)!;
      }
    }
    if (node.methods) throw new Error(`The path ${path} is defined twice.`);
    node.methods = methods;
  }
}

type PathParameters = readonly (readonly [string, string])[];

function find(node: Node, segments: readonly string[], parameters: PathParameters): Found | null {
  const [segment, ...rest] = segments;
  if (segment === undefined) return node.methods ? { methods: node.methods, parameters } : null;
  const literal = node.literals.get(segment);
  const byLiteral = literal && find(literal, rest, parameters);
  if (byLiteral) return byLiteral;
  if (node.parameter && segment !== "") {
    const byParameter = find(node.parameter.node, rest, [...parameters, [node.parameter.name, segment]]);
    if (byParameter) return byParameter;
  }
  if (!node.greedy) return null;
  return { methods: node.greedy.methods, parameters: [...parameters, [node.greedy.name, segments.join("/")]] };
}

interface Found {
  readonly methods: Methods;
  readonly parameters: PathParameters;
}

const segmentsOf = (path: string): string[] => {
  const trimmed = path.replace(/^\//, "").replace(/\/$/, "");
  return trimmed === "" ? [] : trimmed.split("/");
};

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new MalformedPath(segment);
  }
}

function methodsOf(resource: string, item: Json): Methods {
  const methods = new Map<string, Integration>();
  for (const [name, operation] of Object.entries<Json>(item)) {
    if (name === anyMethod) methods.set(anyMethod, integrationOf(resource, operation));
    else if (httpMethods.has(name)) methods.set(name.toUpperCase(), integrationOf(resource, operation));
  }
  return methods;
}

function integrationOf(resource: string, operation: Json): Integration {
  const integration = operation["x-amazon-apigateway-integration"] ?? {};
  const functionArn = /:lambda:path\/2015-03-31\/functions\/(.+)\/invocations$/.exec(integration.uri ?? "")?.[1];
  if (String(integration.type).toLowerCase() !== "aws_proxy" || !functionArn) {
    throw new Error(`${resource}: only buffered aws_proxy integrations of Lambda functions are embedded.`);
  }
  if (operation["x-amazon-apigateway-request-validator"]) {
    throw new Error(`${resource}: request validators of API Gateway are not embedded; operations validate themselves.`);
  }
  const timeoutMs = integration.timeoutInMillis ?? timeoutMsDefault;
  return { resource, functionArn, roleArn: integration.credentials, timeoutMs };
}
