// The runtime inside one function instance: loads the handler, then answers one invocation after the other.
// Plain JavaScript, because stripping types would cost every cold start 10 ms and every instance 9 MB.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

/** Lambda's limit for a synchronous answer. */
const responseBytesMax = 6 * 1024 * 1024;

/** @type {import("./instance.ts").InstanceProps} */
const fn = workerData;

process.on("uncaughtException", (error, origin) => {
  const problem = describe(error);
  if (origin === "unhandledRejection") problem.errorType = "Runtime.UnhandledPromiseRejection";
  parentPort.postMessage({ kind: "crash", problem });
  process.exit(128);
});

try {
  const handler = await loadHandler();
  parentPort.on("message", (invocation) => void answer(handler, invocation));
  parentPort.postMessage({ kind: "ready" });
} catch (error) {
  parentPort.postMessage({ kind: "crash", problem: describe(error) });
  process.exit(1);
}

async function loadHandler() {
  const [, file, name] = /^(.*\/[^.]*|[^./]*)\.(.+)$/.exec(fn.handler) ?? [];
  const path = [".mjs", ".js", ".cjs"].map((end) => join(fn.codeFolder, file + end)).find((path) => existsSync(path));
  if (!path) throw named("Runtime.ImportModuleError", `Error: Cannot find module '${file}'`);
  const module = await import(pathToFileURL(path).href);
  const handler = name.split(".").reduce((value, key) => value?.[key], module);
  if (typeof handler !== "function") {
    throw named("Runtime.HandlerNotFound", `${fn.handler} is undefined or not exported`);
  }
  // Where streaming joins: a handler wrapped by `awslambda.streamifyResponse` will post its chunks as messages of their own.
  return handler;
}

async function answer(handler, { requestId, payload }) {
  try {
    const result = await handler(JSON.parse(payload), contextOf(requestId));
    const text = serialise(result);
    if (Buffer.byteLength(text) > responseBytesMax) {
      const limit = `Response payload size exceeded maximum allowed payload size (${responseBytesMax} bytes).`;
      throw named("Function.ResponseSizeTooLarge", limit);
    }
    parentPort.postMessage({ kind: "result", requestId, payload: text });
  } catch (error) {
    parentPort.postMessage({ kind: "failure", requestId, problem: describe(error) });
  }
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
