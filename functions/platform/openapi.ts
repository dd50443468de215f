import * as z from "zod";
import type { ListedOperation } from "../operations.ts";
import { apiStage, type Contract, fullPath, isRaw, runScopes, scopeOf } from "./contract.ts";
import { codesOf, type ErrorCode } from "./errors.ts";
import { problems } from "./problems.ts";

const mediaTypes = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

type Schema = Record<string, unknown>;

/** The OpenAPI 3.1 document of the operation table. */
export function openApiDocument(operations: readonly ListedOperation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const listed of operations) {
    const path = fullPath(listed.operation.contract);
    paths[path] = { ...paths[path], [listed.operation.contract.method.toLowerCase()]: describe(listed) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: "2.0.0-test",
      description:
        "Audits source code for security problems. Sign in with `POST /api/v1/auth/login`, then send `Authorization: Bearer <token>`. " +
        "Programs send an API token (`POST /api/v1/users/me/tokens`) the same way. " +
        "Messages come in Chinese or English by `Accept-Language`; user operations always answer in Chinese. " +
        "Collections answer with and without a trailing slash. Lists carry their total in `X-Total-Count`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      { url: "/", description: "This machine, or a domain of your own" },
      { url: `/${apiStage}`, description: "The address that API Gateway gave the deployed stack" },
    ],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } },
      schemas: { Problem: problemSchema, ValidationProblem: validationProblemSchema },
    },
  };
}

function describe({ name, area, operation: { contract } }: ListedOperation): object {
  return {
    operationId: name,
    summary: contract.summary,
    tags: [area],
    security: contract.auth === "anyone" ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters("path", contract.params),
      ...parameters("query", contract.query),
      ...(contract.idempotent ? [idempotencyKey] : []),
    ],
    ...(contract.body && { requestBody: requestBody(contract, contract.body) }),
    responses: responses(contract),
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same key gives the same answer for 24 hours, so a request can be repeated safely.",
  schema: { type: "string", maxLength: 200 },
};

function parameters(where: "path" | "query", schema: z.ZodType | undefined): object[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === "path" || required.includes(name),
    schema: property,
  }));
}

function requestBody(contract: Contract, schema: z.ZodType): object {
  const required = !schema.safeParse(undefined).success;
  return { required, content: { [mediaTypes[contract.bodyType ?? "json"]]: { schema: jsonSchema(schema, "input") } } };
}

function responses(contract: Contract): Record<string, object> {
  const { success } = contract;
  const content = isRaw(success)
    ? { [success.contentType.split(";")[0] as string]: { schema: { type: "string" } } }
    : { "application/json": { schema: jsonSchema(success, "output") } };
  const answers: Record<string, object> = contract.status
    ? { [contract.status]: { description: "Follow Location", headers: locationHeader, content } }
    : { 200: { description: "Done", content } };
  for (const status of contract.besides ?? []) answers[status] = besides[status];
  for (const [status, codes] of failuresByStatus(contract)) {
    const schema = status === "422" ? { anyOf: [ref("ValidationProblem"), ref("Problem")] } : ref("Problem");
    const headers = status === "429" ? { headers: { "Retry-After": retryAfter } } : {};
    answers[status] = { description: codes.join(", "), ...headers, content: { "application/json": { schema } } };
  }
  return answers;
}

const locationHeader = { Location: { schema: { type: "string", format: "uri" } } };

const besides = {
  302: { description: "Follow Location", headers: locationHeader },
  304: { description: "What If-None-Match names is still the newest" },
};

/** What the contract names and what the platform itself refuses. */
function failuresByStatus(contract: Contract): [string, ErrorCode[]][] {
  const codes: ErrorCode[] = [
    ...contract.failures,
    ...(contract.auth === "anyone" ? [] : (["not_authenticated"] as const)),
    ...(contract.auth === "administrator" ? (["permission_denied"] as const) : []),
    ...(contract.auth !== "anyone" && scopeOf(contract) !== "read" ? (["token_scope_insufficient"] as const) : []),
    ...(contract.auth !== "anyone" && runScopes.includes(scopeOf(contract))
      ? (["token_run_insufficient"] as const)
      : []),
    ...(contract.params || contract.query || contract.body ? (["validation_failed"] as const) : []),
    ...(contract.body ? (["unsupported_media_type", "payload_too_large"] as const) : []),
    ...(contract.body && !contract.bodyType ? (["invalid_json"] as const) : []),
    ...(contract.idempotent ? codesOf("idempotency") : []),
    ...(contract.idempotent ? (["request_in_progress"] as const) : []),
  ];
  const grouped = Map.groupBy(new Set(codes), (code) => String(problems[code].status));
  return [...grouped].toSorted(([a], [b]) => Number(a) - Number(b));
}

const retryAfter = { description: "Seconds to wait before the next try", schema: { type: "integer", minimum: 1 } };

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** JSON Schema 2020-12 of a zod schema; an uploaded file is binary content. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") Object.assign(jsonSchema, { type: "string", format: "binary" });
    },
  });
  return made as Schema;
}

const problemSchema = {
  type: "object",
  required: ["detail", "code", "request_id"],
  properties: {
    detail: { type: "string", description: "For people, in their language" },
    code: { type: "string", description: "For programs; stable" },
    request_id: { type: "string" },
  },
};

const validationProblemSchema = {
  type: "object",
  required: ["detail", "code", "request_id"],
  properties: {
    detail: {
      type: "array",
      items: {
        type: "object",
        required: ["type", "loc", "msg"],
        properties: {
          type: { type: "string" },
          loc: { type: "array", items: { type: ["string", "integer"] } },
          msg: { type: "string" },
          input: {},
        },
      },
    },
    code: { const: "validation_failed" },
    request_id: { type: "string" },
  },
};
