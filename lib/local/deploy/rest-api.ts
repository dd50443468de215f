import type { CustomResponse } from "../api/gateway-responses.ts";
import type { ApiStage } from "../api/proxy.ts";
import { Routes } from "../api/routes.ts";
import type { Json } from "../service.ts";
import { arnOf, type Create, type Declaration, refuse, type Site, trustedRole } from "./declaration.ts";
import { shortId } from "./physical-name.ts";

/** The REST API of a stack, which the template spreads over several resources. */
export interface RestApi extends ApiStage {
  readonly body: Json;
  readonly responses: readonly CustomResponse[];
}

/** Gathers the resources of one REST API; CloudFormation knows more than one in a stack, the embedded cloud one. */
export class RestApiDeployment {
  #api: { readonly id: string; readonly body: Json; readonly binaryMediaTypes: readonly string[] } | undefined;
  #stage: { readonly name: string; readonly variables: Readonly<Record<string, string>> | null } | undefined;
  readonly #responses: CustomResponse[] = [];

  readonly api: Create = (declaration, site) => {
    refuse(declaration, "BodyS3Location", "Policy");
    const { logicalId, type, properties } = declaration;
    if (this.#api) throw new Error(`${logicalId} (${type}): the embedded cloud serves one REST API.`);
    const id = shortId(site.stackName, logicalId);
    const body = properties.Body ?? {};
    requireTrust(declaration, site, id, body);
    const binaryMediaTypes = properties.BinaryMediaTypes ?? body["x-amazon-apigateway-binary-media-types"] ?? [];
    this.#api = { id, body, binaryMediaTypes };
    for (const [name, response] of Object.entries<Json>(body["x-amazon-apigateway-gateway-responses"] ?? {})) {
      const { statusCode, responseTemplates, responseParameters } = response;
      this.#responses.push(customResponse(name, statusCode, responseTemplates, responseParameters));
    }
    return { ref: id, attributes: { RestApiId: id, RootResourceId: shortId(id, "root") } };
  };

  readonly response: Create = ({ logicalId, properties }) => {
    const { ResponseType, StatusCode, ResponseTemplates, ResponseParameters } = properties;
    this.#responses.push(customResponse(ResponseType, StatusCode, ResponseTemplates, ResponseParameters));
    return { ref: logicalId };
  };

  readonly stage: Create = (declaration) => {
    const { logicalId, type, properties } = declaration;
    if (this.#stage) throw new Error(`${logicalId} (${type}): the embedded cloud serves one stage of the API.`);
    this.#stage = { name: properties.StageName, variables: properties.Variables ?? null };
    return { ref: properties.StageName };
  };

  /** Undefined when the stack has no REST API, or none that is published as a stage. */
  get result(): RestApi | undefined {
    if (!this.#api || !this.#stage) return undefined;
    const { id, body, binaryMediaTypes } = this.#api;
    const { name, variables } = this.#stage;
    return { apiId: id, stage: name, variables, binaryMediaTypes, body, responses: this.#responses };
  }
}

function requireTrust(declaration: Declaration, { parts }: Site, apiId: string, body: Json): void {
  const roles = new Set(new Routes(body).integrations.flatMap(({ roleArn }) => roleArn ?? []));
  for (const role of roles) {
    trustedRole(declaration, parts, role, "apigateway.amazonaws.com", arnOf("execute-api", `${apiId}/*`));
  }
}

const customResponse = (
  type: string,
  status: unknown,
  templates: Json = {},
  parameters: Json = {},
): CustomResponse => ({
  type,
  status: status === undefined ? undefined : Number(status),
  templates,
  parameters,
});
