import * as z from "zod";
import { findUserConfig } from "../config/user-config-store.ts";
import { operation } from "../platform/operation.ts";
import { CapView, capsFor, capView } from "./caps.ts";
import { monthOf } from "./reservation.ts";
import { SpendingView, spendingView } from "./spending.ts";
import { monthSpending } from "./spent.ts";

export const readMySpending = operation(
  {
    method: "GET",
    path: "/config/spending",
    summary:
      "Show what one's own calls of models have cost in a calendar month (UTC), this one if none is named, and the caps",
    auth: "user",
    query: z.object({
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
        .optional(),
    }),
    success: SpendingView.extend({ month: z.string(), caps: z.object({ scan: CapView, month: CapView }) }),
    failures: [],
    grants: { reads: ["userConfig", "spending"] },
  },
  async ({ query, caller, now }) => {
    const month = query.month ?? monthOf(now());
    const caps = capsFor(await findUserConfig(caller.id), null, null);
    return {
      ...spendingView(await monthSpending(caller.id, month)),
      month,
      caps: { scan: capView(caps.scan), month: capView(caps.month) },
    };
  },
);
