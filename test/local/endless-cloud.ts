import { join } from "node:path";
import { FunctionLog } from "../../lib/local/lambda/function-log.ts";
import { Lambda } from "../../lib/local/lambda.ts";

// A process to be killed while its function computes: runs spins.mjs of a folder and tells when the function has begun.
const [, , codeFolder = ""] = process.argv;
const lambda = new Lambda({ log: new FunctionLog(join(codeFolder, "spins.jsonl"), console.log) });
const limits = { memorySizeMiB: 128, timeoutSeconds: 600, concurrency: 1, environment: {} };
lambda.addFunction({ name: "spins", arn: "spins", codeFolder, handler: "spins.handler", ...limits });
await lambda.invoke("spins", {});
