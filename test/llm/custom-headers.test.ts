import { describe, expect, it } from "vitest";
import { customHeaders } from "../../functions/llm/custom-headers.ts";

describe("headers of a user's own", () => {
  it.each([
    ["", {}],
    ["  \n ", {}],
    ['{"X-Org":"a","X-Count":3,"X-Nothing":null}', { "X-Org": "a", "X-Count": "3", "X-Nothing": "" }],
    ["X-Org: a\r\n\r\n  X-Url : https://a.example:8/ ", { "X-Org": "a", "X-Url": "https://a.example:8/" }],
  ])("are read from %j", (text, headers) => {
    expect(customHeaders(text)).toEqual(headers);
  });

  it.each([
    ["{", "{"],
    ["no colon", "no colon"],
    [": value", ": value"],
    ["Bad Name: a", "Bad Name"],
    ['{"X-A":"a\\r\\nX-Evil: 1"}', "X-A"],
    ['{"X-A":{"b":1}}', "X-A"],
    ["X-A: 值", "X-A"],
    [Array.from({ length: 51 }, (_, n) => `X-${n}: 1`).join("\n"), "X-50"],
  ])("are refused when malformed, as %j", (text, header) => {
    expect(() => customHeaders(text)).toThrow(
      expect.objectContaining({ code: "llm_header_malformed", fields: { header } }),
    );
  });

  it.each([
    "Host",
    "content-length",
    "Authorization",
    "X-API-Key",
    "x-goog-api-key",
    "Cookie",
    "Transfer-Encoding",
    "Connection",
    "Proxy-Authorization",
    "X-Amz-Security-Token",
  ])("are refused when they belong to the connection or prove who asks: %s", (header) => {
    for (const text of [`${header}: a`, JSON.stringify({ [header]: "a" })])
      expect(() => customHeaders(text)).toThrow(expect.objectContaining({ code: "llm_header_refused" }));
  });
});
