import * as z from "zod";
import { bearer, type Dialect, type HttpAnswer, type Rejection } from "../dialect.ts";
import { askedInChat, ChatBody, chatCompletion } from "./openai.ts";

const Body = ChatBody.extend({ temperature: z.number().gt(0).max(1).nullish() });

/** MiniMax's own chat completion: OpenAI's shape with `base_resp`, which tells errors apart under status 200. */
export const minimax: Dialect = {
  provider: "minimax",
  path: /^\/v1\/text\/chatcompletion_v2$/,
  needsKey: true,
  key: bearer,
  read: ({ body }) => askedInChat(Body.parse(body)),
  write(asked, reply) {
    const refused = reply.finish === "refused";
    return {
      ...chatCompletion(asked, { ...reply, finish: refused ? "stop" : reply.finish, text: refused ? "" : reply.text }),
      input_sensitive: false,
      output_sensitive: refused,
      base_resp: refused
        ? { status_code: 1027, status_msg: "output new_sensitive" }
        : { status_code: 0, status_msg: "" },
    };
  },
  reject: rejectAsMiniMax,
};

function rejectAsMiniMax(why: Rejection, { model, message }: Parameters<Dialect["reject"]>[1]): HttpAnswer {
  const error = (code: number, text: string): HttpAnswer => ({
    status: 200,
    body: { base_resp: { status_code: code, status_msg: text } },
  });
  const answers: Readonly<Record<Rejection, () => HttpAnswer>> = {
    missing_key: () =>
      error(1004, "login fail: Please carry the API secret key in the 'Authorization' field of the request header"),
    invalid_key: () => error(2049, "invalid api key"),
    balance: () => error(1008, "insufficient balance"),
    quota: () => error(1008, "insufficient balance"),
    forbidden: () => error(2061, `your current token plan not support model, ${model}`),
    model_not_found: () => error(2013, `invalid params, unknown model '${model}'`),
    rate_limit: () => ({ ...error(1002, "rate limit"), headers: { "retry-after": "1" } }),
    server_error: () => ({ ...error(1000, "unknown error"), status: 500 }),
    bad_request: () => error(2013, `invalid params, ${message}`),
  };
  return answers[why]();
}
