import * as z from "zod";
import { operation } from "../platform/operation.ts";

export const readHealth = operation(
  {
    method: "GET",
    path: "/health",
    root: true,
    summary: "Tell that the service answers",
    auth: "anyone",
    success: z.object({ status: z.literal("ok") }),
    failures: [],
    grants: {},
    memoryMiB: 128,
  },
  async () => ({ status: "ok" as const }),
);
