/** The kinds of answers that API Gateway gives by itself, with what they say unless customised. */
const gatewayResponses = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, message: "Missing Authentication Token" },
  BAD_REQUEST_PARAMETERS: { status: 400, message: "Bad Request" },
  REQUEST_TOO_LARGE: { status: 413, message: "Request Too Long" },
  API_CONFIGURATION_ERROR: { status: 500, message: "Internal server error" },
  INTEGRATION_TIMEOUT: { status: 504, message: "Endpoint request timed out" },
  /** A function that failed or answered in a wrong form has no type of its own. */
  DEFAULT_5XX: { status: 502, message: "Internal server error" },
} as const;

export type GatewayResponseType = keyof typeof gatewayResponses;

/** An AWS::ApiGateway::GatewayResponse; the type is any that API Gateway knows, DEFAULT_4XX among them. */
export interface CustomResponse {
  readonly type: string;
  readonly status: number | undefined;
  /** By media type. */
  readonly templates: Readonly<Record<string, string>>;
  /** "gatewayresponse.header.Name" -> "'text'", "context.requestId" or "method.request.header.Name" */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What templates and parameters can refer to. */
export interface ResponseScope {
  /** `$context.…` by its dotted name. */
  readonly context: Readonly<Record<string, string>>;
  /** Headers of the request, names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface RenderedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const templatesDefault = { "application/json": '{"message":$context.error.messageString}' };

/**
 * Writes API Gateway's own answers. A response type that is not customised falls back on DEFAULT_4XX or DEFAULT_5XX.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export class GatewayResponses {
  readonly #custom: ReadonlyMap<string, CustomResponse>;

  constructor(custom: readonly CustomResponse[]) {
    this.#custom = new Map(custom.map((response) => [response.type, response]));
  }

  render(type: GatewayResponseType, scope: ResponseScope): RenderedResponse {
    const { status, message } = gatewayResponses[type];
    const custom = this.#custom.get(type) ?? this.#custom.get(status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
    const context = {
      ...scope.context,
      "error.message": message,
      "error.messageString": JSON.stringify(message),
      "error.responseType": type,
    };
    const templates = Object.keys(custom?.templates ?? {}).length > 0 ? custom!.templates : templatesDefault;
    const [mediaType, template] = choose(templates, scope.headers.accept);
    return {
      status: custom?.status ?? status,
      headers: { "Content-Type": mediaType, ...headersOf(custom?.parameters ?? {}, { ...scope, context }) },
      body: substitute(template, context),
    };
  }
}

function choose(templates: Readonly<Record<string, string>>, accept: string | undefined): [string, string] {
  const wanted = accept?.split(",")[0]?.split(";")[0]?.trim() ?? "";
  const all = Object.entries(templates);
  return all.find(([type]) => type === wanted) ?? all.find(([type]) => type === "application/json") ?? all[0]!;
}

/** Gateway responses know no template language, only these variables. */
const substitute = (template: string, context: Readonly<Record<string, string>>): string =>
  template.replace(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_, name: string) => context[name] ?? "");

function headersOf(parameters: Readonly<Record<string, string>>, scope: ResponseScope): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([target, source]) => {
      const value = sourceValue(source, scope);
      return value === undefined ? [] : [[target.replace(/^gatewayresponse\.header\./, ""), value]];
    }),
  );
}

function sourceValue(source: string, { context, headers }: ResponseScope): string | undefined {
  if (source.startsWith("'")) return source.slice(1, -1);
  if (source.startsWith("context.")) return context[source.slice("context.".length)];
  if (source.startsWith("method.request.header."))
    return headers[source.slice("method.request.header.".length).toLowerCase()];
  throw new Error(`The gateway response parameter ${source} is not supported by the embedded cloud.`);
}
