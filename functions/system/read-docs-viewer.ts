import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { operation, Reply } from "../platform/operation.ts";

export const readDocsViewer = operation(
  {
    method: "GET",
    path: "/docs/viewer.js",
    root: true,
    summary: "The script of the documentation page",
    auth: "anyone",
    success: { contentType: "text/javascript; charset=utf-8" },
    failures: [],
    grants: {},
    memoryMiB: 256,
  },
  async () =>
    new Reply(await readFile(join(process.env.LAMBDA_TASK_ROOT as string, "viewer.js")), {
      "Cache-Control": "public, max-age=86400",
    }),
);
