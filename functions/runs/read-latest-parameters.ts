import * as z from "zod";
import { hasAlready } from "../platform/conditional-request.ts";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation, Reply } from "../platform/operation.ts";
import { authoriseRun } from "./authorise-run.ts";
import { findParameters, parametersUrl, readParameters, storedEtag } from "./parameter-store.ts";
import { etagOf, type Parameters } from "./parameters.ts";

/** Lambda answers no more than 6 MB, of which base64 leaves 4.5. */
const inlineBytesMax = 4 * 1024 * 1024;

export const readLatestParameters = operation(
  {
    method: "GET",
    path: "/runs/{id}/parameters/latest",
    summary: "Fetch a run's newest parameters, for actors that the learner cannot reach; beyond 4 MiB a redirect",
    auth: "user",
    scope: "reader",
    params: z.object({ id: Id }),
    success: { contentType: "application/octet-stream" },
    besides: [302, 304],
    failures: ["run_not_found", "run_parameters_none"],
    // The link is signed with this function's own rights: it reaches what the function may read.
    grants: { reads: ["run"], results: { reads: ["runs/*"] } },
  },
  async ({ params, caller, ifNoneMatch }) => {
    const run = await authoriseRun(caller, params.id);
    const parameters = run.parameterVersion === 0 ? null : await findParameters(run.id, run.parameterVersion);
    if (!parameters) throw new SluiceError("run_parameters_none");
    const isInline = parameters.bytes <= inlineBytesMax;
    // Who follows the redirect sees only what S3 says, and asks with that the next time.
    const etag = isInline ? etagOf(parameters) : await storedEtag(parameters);
    // To be kept by the client for the next request, by nobody without one.
    const headers = { ETag: etag, "Cache-Control": "private, no-cache" };
    if (hasAlready(ifNoneMatch, etag)) return new Reply("", headers, 304);
    if (!isInline) return new Reply("", { ...headers, Location: await parametersUrl(parameters) }, 302);
    return new Reply(await bytesOf(parameters), headers);
  },
);

async function bytesOf(parameters: Parameters): Promise<Buffer> {
  const bytes = await readParameters(parameters);
  if (!bytes) throw new Error(`The parameters ${parameters.objectKey} are gone.`);
  return bytes;
}
