// The runtime inside one function instance: loads the handler, then answers one invocation after the other.
// Plain JavaScript, because stripping types would cost every cold start 10 ms and every instance 9 MB.
import { existsSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Lambda's limit for a synchronous answer. */
const responseBytesMax = 6 * 1024 * 1024;

/** @type {Omit<import("./instance.ts").InstanceProps, "environment">} */
let fn;
let handler;
let answered = 0;

process.on("message", (message) => void (message.kind === "start" ? start(message.fn) : answer(message)));
// The embedded cloud is gone, by whatever end; nobody is left to answer to.
process.on("disconnect", () => process.exit(0));
// Ctrl-C in a terminal reaches every process. The embedded cloud decides when its functions end: it lets requests finish.
for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => {});
process.on("uncaughtException", (error, origin) => {
  const problem = describe(error);
  if (origin === "unhandledRejection") problem.errorType = "Runtime.UnhandledPromiseRejection";
  process.send({ kind: "crash", problem }, () => process.exit(128));
});

async function start(props) {
  fn = props;
  if (fn.codeCache) enableCompileCache(fn.codeCache);
  try {
    handler = await loadHandler();
    process.send({ kind: "ready" });
  } catch (error) {
    process.send({ kind: "crash", problem: describe(error) }, () => process.exit(1));
  }
}

async function loadHandler() {
  const [, file, name] = /^(.*\/[^.]*|[^./]*)\.(.+)$/.exec(fn.handler) ?? [];
  const path = [".mjs", ".js", ".cjs"].map((end) => join(fn.codeFolder, file + end)).find((path) => existsSync(path));
  if (!path) throw named("Runtime.ImportModuleError", `Error: Cannot find module '${file}'`);
  const module = await import(pathToFileURL(path).href);
  const found = name.split(".").reduce((value, key) => value?.[key], module);
  if (typeof found !== "function") {
    throw named("Runtime.HandlerNotFound", `${fn.handler} is undefined or not exported`);
  }
  // Where streaming joins: a handler wrapped by `awslambda.streamifyResponse` will post its chunks as messages of their own.
  return found;
}

async function answer({ requestId, payload }) {
  try {
    const result = await handler(JSON.parse(payload), contextOf(requestId));
    const text = serialise(result);
    if (Buffer.byteLength(text) > responseBytesMax) {
      const limit = `Response payload size exceeded maximum allowed payload size (${responseBytesMax} bytes).`;
      throw named("Function.ResponseSizeTooLarge", limit);
    }
    process.send({ kind: "result", requestId, payload: text });
  } catch (error) {
    process.send({ kind: "failure", requestId, problem: describe(error) });
  }
  // Not sooner: it is about functions that have run. Not at the end: instances are killed.
  if (++answered === 1 && fn.codeCache) flushCompileCache();
}

/** https://docs.aws.amazon.com/lambda/latest/dg/nodejs-context.html */
function contextOf(requestId) {
  const deadline = Date.now() + fn.timeoutSeconds * 1000;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: fn.name,
    functionVersion: "$LATEST",
    invokedFunctionArn: fn.arn,
    memoryLimitInMB: String(fn.memorySizeMiB),
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

function serialise(result) {
  try {
    return JSON.stringify(result) ?? "null";
  } catch (error) {
    throw named("Runtime.MarshalError", `Unable to stringify response body: ${error.message}`);
  }
}

function named(name, message) {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** The error in the shape that Lambda answers with. */
function describe(error) {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? "").split("\n") };
}
