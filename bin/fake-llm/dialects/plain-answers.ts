import type { HttpAnswer, HttpAsked } from "../dialect.ts";
import { type FaultKind, faultKinds } from "../faults.ts";
import { baiduToken, baiduTokenPath } from "./baidu.ts";
import { embeddings } from "./embeddings.ts";

/**
 * What providers answer besides a model's replies: at once, and not counted as calls.
 * @param fault what every request was set to have; the token of Baidu, where keys are checked, knows no model that could name one
 */
export function plainAnswer(method: string, asked: HttpAsked, fault: FaultKind | null): HttpAnswer {
  const { pathname } = asked.url;
  if (method === "GET" && /\/v1\/models$/.test(pathname)) return models;
  if (method === "POST" && pathname === "/v1/embeddings") return embeddings(asked);
  if (method === "POST" && baiduTokenPath.test(pathname)) return baiduToken(asked, fault === "status_401");
  const message = `The scripted model knows no ${method} ${pathname}. Look at the base URL.`;
  return { status: 404, body: { error: { message, type: "invalid_request_error", param: null, code: "unknown_url" } } };
}

const models: HttpAnswer = {
  status: 200,
  body: {
    object: "list",
    data: ["scripted", ...faultKinds.map((kind) => `scripted-${kind}`)].map((id) => ({
      id,
      object: "model",
      created: 0,
      owned_by: "sluice",
    })),
  },
};
