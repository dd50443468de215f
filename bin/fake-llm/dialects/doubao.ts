import { bearer, type Dialect, type HttpAnswer, type Rejection } from "../dialect.ts";
import { askedInChat, ChatBody, chatCompletion } from "./openai.ts";

/** Doubao on Volcengine's Ark: OpenAI's shape with error codes of its own. */
export const doubao: Dialect = {
  provider: "doubao",
  path: /^\/api\/v3\/chat\/completions$/,
  needsKey: true,
  key: bearer,
  read: ({ body }) => askedInChat(ChatBody.parse(body)),
  write: chatCompletion,
  reject: rejectAsDoubao,
};

function rejectAsDoubao(why: Rejection, { model, message }: Parameters<Dialect["reject"]>[1]): HttpAnswer {
  const error = (status: number, type: string, code: string, text: string): HttpAnswer => ({
    status,
    body: { error: { code, message: `${text} Request id: scripted`, param: "", type } },
  });
  const noKey = () =>
    error(401, "Unauthorized", "AuthenticationError", "The API key in the request is missing or invalid.");
  const overdue = () =>
    error(403, "Forbidden", "AccountOverdueError", "The request failed because your account has an overdue balance.");
  const answers: Readonly<Record<Rejection, () => HttpAnswer>> = {
    missing_key: noKey,
    invalid_key: noKey,
    balance: overdue,
    quota: overdue,
    forbidden: () =>
      error(
        403,
        "Forbidden",
        "AccessDenied",
        "The request failed because you do not have access to the requested resource.",
      ),
    model_not_found: () =>
      error(
        404,
        "NotFound",
        "InvalidEndpointOrModel.NotFound",
        `The model or endpoint ${model} does not exist or you do not have access to it.`,
      ),
    rate_limit: () => ({
      ...error(
        429,
        "TooManyRequests",
        "RateLimitExceeded.EndpointRPMExceeded",
        "The Requests Per Minute (RPM) limit has been exceeded.",
      ),
      headers: { "retry-after": "1" },
    }),
    server_error: () =>
      error(
        500,
        "InternalServerError",
        "InternalServiceError",
        "The service encountered an unexpected internal error.",
      ),
    bad_request: () => error(400, "BadRequest", "InvalidParameter", message),
  };
  return answers[why]();
}
