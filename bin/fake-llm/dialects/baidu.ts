import { createHash } from "node:crypto";
import * as z from "zod";
import { BadRequest, type Dialect, type HttpAnswer, type HttpAsked, type Rejection } from "../dialect.ts";

const ChatBody = z.object({
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.string().min(1) })).min(1),
  system: z.string().nullish(),
  temperature: z.number().gt(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_output_tokens: z.int().min(2).nullish(),
  stream: z.literal(false, "the scripted model does not stream").nullish(),
});

const path = /\/wenxinworkshop\/chat\/([^/]+)$/;
const tokenShape = /^24\.[0-9a-f]{32}\.2592000$/;

/** Where an API key and its secret are exchanged for the token of all further requests. */
export const baiduTokenPath = /\/oauth\/2\.0\/token$/;

/** @param refused whether no key is known, as with the fault status_401 */
export function baiduToken({ url }: HttpAsked, refused: boolean): HttpAnswer {
  const [id, secret, grant] = ["client_id", "client_secret", "grant_type"].map((name) => url.searchParams.get(name));
  if (grant !== "client_credentials") {
    return {
      status: 400,
      body: { error: "unsupported_grant_type", error_description: "The authorization grant type is not supported" },
    };
  }
  if (!id || refused) return { status: 401, body: { error: "invalid_client", error_description: "unknown client id" } };
  if (!secret)
    return { status: 401, body: { error: "invalid_client", error_description: "Client authentication failed" } };
  const hash = createHash("sha256").update(`${id}:${secret}`).digest("hex").slice(0, 32);
  return {
    status: 200,
    body: {
      access_token: `24.${hash}.2592000`,
      expires_in: 2_592_000,
      scope: "ai_custom_qianfan_bloomz_7b_compressed",
    },
  };
}

/** Baidu's ERNIE, where the model is the end of the path and errors come with status 200. */
export const baidu: Dialect = {
  provider: "baidu",
  path,
  needsKey: true,
  key: ({ url }) => {
    const token = url.searchParams.get("access_token") ?? "";
    return tokenShape.test(token) ? token : null;
  },
  read({ url, body }) {
    const { messages, system, max_output_tokens } = ChatBody.parse(body);
    if (messages.length % 2 === 0) throw new BadRequest("the length of messages must be an odd number");
    if (messages.some(({ role }, index) => role !== (index % 2 === 0 ? "user" : "assistant"))) {
      throw new BadRequest("the roles of messages must alternate between user and assistant, beginning with user");
    }
    return {
      model: decodeURIComponent(path.exec(url.pathname)?.[1] ?? ""),
      system: system ?? "",
      turns: messages.map(({ role, content }) => ({ role, text: content })),
      maxTokens: max_output_tokens ?? null,
    };
  },
  write: (_, { text, finish, usage }) => ({
    id: "as-scripted",
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    result: text,
    is_truncated: finish === "length",
    need_clear_history: finish === "refused",
    finish_reason: { stop: "normal", length: "length", refused: "content_filter" }[finish],
    ...(usage && {
      usage: {
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
      },
    }),
  }),
  reject: rejectAsBaidu,
};

function rejectAsBaidu(why: Rejection, { message }: Parameters<Dialect["reject"]>[1]): HttpAnswer {
  const error = (code: number, text: string): HttpAnswer => ({
    status: 200,
    body: { error_code: code, error_msg: text, id: "as-scripted" },
  });
  const answers: Readonly<Record<Rejection, () => HttpAnswer>> = {
    missing_key: () => error(110, "Access token invalid or no longer valid"),
    invalid_key: () => error(110, "Access token invalid or no longer valid"),
    // Accounts without paid quota hit the limit of the day, which is how Baidu says that there is no money.
    balance: () => error(17, "Open api daily request limit reached"),
    quota: () => error(17, "Open api daily request limit reached"),
    forbidden: () => error(6, "No permission to access data"),
    model_not_found: () => error(3, "Unsupported openapi method"),
    rate_limit: () => ({ ...error(18, "Open api qps request limit reached"), headers: { "retry-after": "1" } }),
    server_error: () => ({ ...error(336_000, "Internal error"), status: 500 }),
    bad_request: () => error(336_003, message),
  };
  return answers[why]();
}
