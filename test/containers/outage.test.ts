import { setImmediate } from "node:timers/promises";
import { status } from "@grpc/grpc-js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ByteBudget } from "../../containers/grpc/byte-budget.ts";
import { Metrics } from "../../containers/grpc/metrics.ts";
import { StoredRuns } from "../../containers/grpc/stored-runs.ts";
import type { RecordedCall } from "../../lib/local/gateway.ts";
import { AwsError } from "../../lib/local/service.ts";
import { hurryingClock } from "../runs/runs.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { healthOf, watchHealth } from "./health-client.ts";
import { serve } from "./served.ts";

// Faults are for our code to see, not for the SDK to hide.
process.env.AWS_MAX_ATTEMPTS = "1";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(heal);

function heal(): void {
  data.gateway.planFault = () => undefined;
}
const error = new AwsError("InternalServerError", "We encountered an internal error. Please try again.", 500);
const breakWhere = (matches: (call: RecordedCall) => boolean): void => {
  data.gateway.planFault = (call) => (matches(call) ? { when: "before", error } : undefined);
};

/** Both services on the real store. The log's clock hurries, so ten seconds of failing are over in a moment. */
const served = () => {
  const metrics = new Metrics(new ByteBudget(1024 * 1024));
  return serve({}, new StoredRuns({ ownerId: "outage", bytesMax: 64 * 1024 * 1024, metrics, clock: hurryingClock() }));
};

const outages: Record<string, (call: RecordedCall) => boolean> = {
  S3: ({ service }) => service === "s3",
  DynamoDB: ({ service }) => service === "dynamodb",
};

describe.each(Object.entries(outages))("while %s fails", (_, isBroken) => {
  it.each([
    ["parameters", "SendParameters", { parameter_bytes: Buffer.from("w") }],
    ["the first item of a run", "SendTransition", { transition_bytes: Buffer.from("t") }],
  ] as const)(
    "and %s could not be stored, health is NOT_SERVING after ten seconds, and SERVING again by itself",
    async (...[, method, message]) => {
      const { client, runs } = await served();
      breakWhere(isBroken);
      const watch = watchHealth(client, "");
      expect(await watch.next()).toBe("SERVING");
      const refused = await client.send(method, message);
      expect([refused.code, Number(refused.trailers["grpc-retry-pushback-ms"]) > 0]).toEqual([
        status.UNAVAILABLE,
        true,
      ]);
      expect(await watch.next()).toBe("NOT_SERVING");
      heal();
      // Nobody sends anything meanwhile.
      expect(await watch.next()).toBe("SERVING");
      expect(await healthOf(client, "hil_serl.ActorService")).toBe("SERVING");
      while (!runs.isHealthy()) await setImmediate();
      expect((await client.send(method, message)).code).toBe(status.OK);
      watch.cancel();
      await runs.close();
    },
  );
});
