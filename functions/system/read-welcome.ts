import * as z from "zod";
import { operation } from "../platform/operation.ts";

export const readWelcome = operation(
  {
    method: "GET",
    path: "/",
    root: true,
    summary: "Say what this is and where its documentation stands",
    auth: "anyone",
    success: z.object({ message: z.string(), docs: z.string(), openapi: z.string() }),
    failures: [],
    grants: {},
    memoryMiB: 128,
  },
  async ({ language }) => ({
    message: language === "zh" ? "欢迎使用 Sluice 代码安全审计服务" : "Sluice audits source code for security problems",
    docs: "docs",
    openapi: "api/v1/openapi.json",
  }),
);
