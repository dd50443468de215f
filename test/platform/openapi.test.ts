import { expect, it } from "vitest";
import { operationList } from "../../functions/operations.ts";
import { fullPath } from "../../functions/platform/contract.ts";
import { openApiDocument } from "../../functions/platform/openapi.ts";
import type { Json } from "../../lib/local/service.ts";

const document: Json = openApiDocument(operationList);

const listed = operationList.map(({ name, operation: { contract } }) => {
  const described = document.paths[fullPath(contract)]?.[contract.method.toLowerCase()];
  return [name, contract, described] as const;
});

it.each(listed)("describes %s with its parameters, body, answer and refusals", (name, contract, described) => {
  expect(described).toMatchObject({ operationId: name, summary: contract.summary });
  const inPath = described.parameters.filter((parameter: { in: string }) => parameter.in === "path");
  const named = [...contract.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
  expect(inPath.map((parameter: { name: string }) => parameter.name).toSorted()).toEqual(named.toSorted());
  expect(described.requestBody !== undefined).toBe(contract.body !== undefined);
  expect((described.responses[200] ?? described.responses[302]).content).toBeDefined();
  expect(described.responses[401] !== undefined).toBe(contract.auth !== "anyone");
  if (contract.body) for (const status of [413, 415, 422]) expect(described.responses[status]).toBeDefined();
});

it("names every operation once and refers only to what it defines", () => {
  expect(new Set(operationList.map(({ name }) => name)).size).toBe(operationList.length);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name as string,
  );
  expect(references.length).toBeGreaterThan(0);
  for (const name of references) expect(document.components.schemas).toHaveProperty(name);
});

it("offers an uploaded file as binary content", () => {
  const { schema } = document.paths["/api/v1/projects/{id}/zip"].post.requestBody.content["multipart/form-data"];
  expect(schema.properties.file).toMatchObject({ type: "string", format: "binary" });
});
