import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { operation, Reply } from "../platform/operation.ts";

export const readOpenapi = operation(
  {
    method: "GET",
    path: "/openapi.json",
    summary: "The OpenAPI 3.1 document of this API",
    auth: "anyone",
    success: { contentType: "application/json; charset=utf-8" },
    failures: [],
    grants: {},
    memoryMiB: 256,
  },
  // Written beside the bundle when it is built: making it here would load every operation into this function.
  async () =>
    new Reply(await readFile(join(process.env.LAMBDA_TASK_ROOT as string, "openapi.json")), {
      "Cache-Control": "public, max-age=300",
    }),
);
