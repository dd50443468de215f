import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { afterEach, describe, expect, it } from "vitest";
import { Api, type ApiProps } from "../../lib/local/api.ts";
import type { InvokeResult, Json } from "../../lib/local/service.ts";

const running: Api[] = [];
afterEach(() => Promise.all(running.splice(0).map((api) => api.stop())));

const integration = (name: string, more: object = {}) => ({
  "x-amazon-apigateway-integration": {
    type: "aws_proxy",
    httpMethod: "POST",
    uri: `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn(name)}/invocations`,
    ...more,
  },
});
const arn = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

const paths = {
  "/": { get: integration("root") },
  "/users": { get: integration("list"), post: integration("create") },
  "/users/me": { get: integration("me") },
  "/users/{user_id}": { get: integration("read"), head: integration("head"), options: integration("options") },
  "/users/{user_id}/keys/{key}": { "x-amazon-apigateway-any-method": integration("any") },
  "/files/{path+}": { get: integration("files") },
  "/files/{path}/exact": { get: integration("exact") },
  "/slow": { get: integration("slow", { timeoutInMillis: 50 }) },
};

type Handler = (event: APIGatewayProxyEvent, functionName: string) => Json;

/** An API whose functions are one closure; what it returns is the function's answer, what it throws the error. */
async function start(handler: Handler, props: Partial<ApiProps> = {}) {
  const api = new Api({
    body: { openapi: "3.0.1", paths },
    apiId: "abc123",
    stage: "live",
    variables: null,
    binaryMediaTypes: ["*/*"],
    responses: [],
    invoke: async ({ functionArn }, _, event) => {
      try {
        return { ok: true, payload: await handler(event, functionArn.replace(/^.*:/, "")) };
      } catch (error) {
        return { ok: false, error: (error as Error).name, message: (error as Error).message };
      }
    },
    ...props,
  });
  running.push(api);
  return api.listen("127.0.0.1", 0);
}

const echo: Handler = (event, name) => ({ statusCode: 200, body: JSON.stringify({ name, event }) });
const get = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
};

describe("routing", () => {
  it.each([
    ["GET", "/", "root", null],
    ["GET", "/users", "list", null],
    ["GET", "/users/", "list", null],
    ["POST", "/users/", "create", null],
    ["GET", "/users/me", "me", null],
    ["GET", "/users/me2", "read", { user_id: "me2" }],
    ["GET", "/users/a%2Fb%20%E4%BD%A0", "read", { user_id: "a/b 你" }],
    ["OPTIONS", "/users/x", "options", null],
    ["DELETE", "/users/1/keys/2", "any", { user_id: "1", key: "2" }],
    ["GET", "/users/me/keys/2", "any", { user_id: "me", key: "2" }],
    ["GET", "/files/a", "files", { path: "a" }],
    ["GET", "/files/a/b/c+d", "files", { path: "a/b/c+d" }],
    ["GET", "/files/a/exact", "exact", { path: "a" }],
    ["GET", "/files/a/exact/more", "files", { path: "a/exact/more" }],
  ])("finds the function of %s %s", async (method, path, name, pathParameters) => {
    const url = await start(echo);
    const answer = (await get(url + path, { method })).json();
    expect(answer).toMatchObject({ name, event: { path, httpMethod: method } });
    if (pathParameters) expect(answer.event.pathParameters).toEqual(pathParameters);
  });

  it.each([
    ["GET", "/nothing"],
    ["DELETE", "/users"],
    ["HEAD", "/users"],
    ["OPTIONS", "/users"],
    ["GET", "/users/1/2"],
    ["GET", "/users//keys/2"],
    ["GET", "/files"],
    ["GET", "//users"],
    ["GET", "/users//"],
  ])(
    "refuses %s %s as API Gateway does, without saying whether the path or the method is unknown",
    async (method, path) => {
      const url = await start(echo);
      const { status, headers, text } = await get(url + path, { method });
      expect(status).toBe(403);
      expect(headers.get("x-amzn-errortype")).toBe("MissingAuthenticationTokenException");
      expect(text).toBe(method === "HEAD" ? "" : '{"message":"Missing Authentication Token"}');
    },
  );

  it("refuses a path that is no valid encoding", async () => {
    const url = await start(echo);
    expect((await get(`${url}/users/%zz`)).status).toBe(400);
  });

  it("answers HEAD without a body where the API defines it", async () => {
    const url = await start(() => ({ statusCode: 200, headers: { "x-a": "b" }, body: "text" }));
    const { status, headers, text } = await get(`${url}/users/1`, { method: "HEAD" });
    expect({ status, text, header: headers.get("x-a") }).toEqual({ status: 200, text: "", header: "b" });
  });

  it.each([
    ["a path twice", { "/a/{x}": { get: integration("f") }, "/a/{x}/": { get: integration("g") } }, "defined twice"],
    [
      "two names for a segment",
      { "/a/{x}": { get: integration("f") }, "/a/{y}/b": { get: integration("g") } },
      "one name only",
    ],
    ["half a segment", { "/a/{x}.json": { get: integration("f") } }, "mixes"],
    ["another integration", { "/a": { get: { "x-amazon-apigateway-integration": { type: "mock" } } } }, "aws_proxy"],
    ["none", { "/a": { get: {} } }, "aws_proxy"],
  ])("does not start with %s", (_, wrong, message) => {
    const props = { apiId: "a", stage: "s", variables: null, binaryMediaTypes: [], responses: [] };
    const invoke = async (): Promise<InvokeResult> => ({ ok: true, payload: {} });
    expect(() => new Api({ ...props, invoke, body: { paths: wrong } })).toThrow(message);
  });
});

describe("the event", () => {
  it("is that of a REST API with proxy integration", async () => {
    const url = await start(echo, { variables: { colour: "blue" } });
    const { event } = (
      await get(`${url}/users/7?a=1&a=2&b=x+y%26&empty`, {
        headers: { "X-Two": "one", "User-Agent": "tester", "X-Forwarded-For": "9.9.9.9" },
      })
    ).json();
    expect(event).toMatchObject({
      resource: "/users/{user_id}",
      path: "/users/7",
      httpMethod: "GET",
      pathParameters: { user_id: "7" },
      queryStringParameters: { a: "2", b: "x y&", empty: "" },
      multiValueQueryStringParameters: { a: ["1", "2"], b: ["x y&"], empty: [""] },
      stageVariables: { colour: "blue" },
      body: null,
      isBase64Encoded: false,
      headers: { "X-Forwarded-For": "9.9.9.9, 127.0.0.1", "X-Forwarded-Proto": "http" },
      requestContext: {
        accountId: "000000000000",
        apiId: "abc123",
        domainName: "127.0.0.1",
        httpMethod: "GET",
        identity: { sourceIp: "127.0.0.1", userAgent: "tester" },
        path: "/users/7",
        protocol: "HTTP/1.1",
        resourcePath: "/users/{user_id}",
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        requestTimeEpoch: expect.any(Number),
        stage: "live",
      },
    });
  });

  it("keeps repeated headers and hostile names apart from the object they stand in", async () => {
    const url = await start(echo);
    const answer = await raw(
      url,
      "GET /users?__proto__=1&constructor=2 HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\n__proto__: 3\r\nConnection: close\r\n\r\n",
    );
    expect(answer).toContain('"X-A":["1","2"]');
    expect(answer).toContain('"__proto__":["3"]');
    expect(answer).toContain('"queryStringParameters":{"__proto__":"1","constructor":"2"}');
  });

  it("has null where there is nothing", async () => {
    const url = await start(echo);
    expect((await get(`${url}/users`)).json().event).toMatchObject({
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      stageVariables: null,
    });
  });

  it.each([
    ["every type is binary", ["*/*"], "text/plain", true],
    ["its type is binary", ["image/*"], "image/png; q=1", true],
    ["its type is not", ["image/*"], "text/plain", false],
  ])("has the body as Base64 when %s", async (_, binaryMediaTypes, type, isBase64Encoded) => {
    const url = await start(echo, { binaryMediaTypes });
    const { event } = (
      await get(`${url}/users`, { method: "POST", body: "é", headers: { "content-type": type } })
    ).json();
    expect(event).toMatchObject({ isBase64Encoded, body: isBase64Encoded ? "w6k=" : "é" });
  });
});

describe("the answer", () => {
  it("goes out with its status, headers and bytes", async () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    const url = await start(() => ({
      statusCode: 201,
      headers: { "Content-Type": "image/png", "X-One": "1", "X-Number": 5 },
      multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"], "x-one": ["2"] },
      body: bytes.toString("base64"),
      isBase64Encoded: true,
    }));
    const response = await fetch(`${url}/users`);
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("x-one")).toBe("2");
    expect(response.headers.get("x-number")).toBe("5");
    expect(response.headers.get("x-amzn-requestid")).toMatch(/^[0-9a-f-]{36}$/);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  });

  it("is JSON unless it says otherwise, and may have no body", async () => {
    const url = await start(() => ({ statusCode: "204" }));
    const { status, headers, text } = await get(`${url}/users`);
    expect({ status, text, type: headers.get("content-type") }).toEqual({
      status: 204,
      text: "",
      type: "application/json",
    });
  });

  it("loses the headers that API Gateway keeps for itself, and sends reserved ones under another name", async () => {
    const headers = {
      "WWW-Authenticate": "Bearer",
      "Content-Length": "3",
      "Transfer-Encoding": "chunked",
      Server: "me",
    };
    const url = await start(() => ({ statusCode: 401, headers, body: "long text" }));
    const answer = await get(`${url}/users`);
    expect(answer.text).toBe("long text");
    expect(answer.headers.get("www-authenticate")).toBeNull();
    expect(answer.headers.get("x-amzn-remapped-www-authenticate")).toBe("Bearer");
    expect(answer.headers.get("x-amzn-remapped-server")).toBe("me");
  });

  it.each([
    ["nothing", undefined],
    ["a text", "hello"],
    ["no status", { body: "x" }],
    ["an impossible status", { statusCode: 99 }],
    ["an object as body", { statusCode: 200, body: { a: 1 } }],
    ["an object as header", { statusCode: 200, headers: { a: {} } }],
    ["a header that breaks the line", { statusCode: 200, headers: { a: "b\r\nSet-Cookie: c=d" } }],
    ["a header name that is none", { statusCode: 200, headers: { "X-Good": "1", "a b": "c" } }],
  ])("becomes a 502 when the function gives %s", async (_, payload) => {
    const url = await start(() => payload);
    const { status, text, headers } = await get(`${url}/users`);
    expect({ status, text }).toEqual({ status: 502, text: '{"message":"Internal server error"}' });
    expect([headers.get("set-cookie"), headers.get("x-good")]).toEqual([null, null]);
  });

  it.each([
    ["fails", "TypeError", 502, "Internal server error"],
    ["times out", "Sandbox.Timedout", 502, "Internal server error"],
    ["may not be invoked", "Lambda.AccessDeniedException", 500, "Internal server error"],
    ["cannot take an event so large", "Lambda.RequestTooLargeException", 413, "Request Too Long"],
  ])("says nothing of the cause when the function %s", async (_, name, status, message) => {
    const url = await start(() => {
      throw Object.assign(new Error("secret detail"), { name });
    });
    const answer = await get(`${url}/users`);
    expect({ status: answer.status, body: answer.json() }).toEqual({ status, body: { message } });
  });

  it("is a 504 when the function takes longer than the integration may", async () => {
    const url = await start(() => new Promise(() => {}));
    const { status, json } = await get(`${url}/slow`);
    expect({ status, body: json() }).toEqual({ status: 504, body: { message: "Endpoint request timed out" } });
  });
});

describe("gateway responses", () => {
  const custom = (type: string, status?: number, templates = {}, parameters = {}) => ({
    type,
    status,
    templates,
    parameters,
  });

  it("are written from the API's templates and parameters", async () => {
    const template =
      '{"detail":$context.error.messageString,"id":"$context.requestId","at":"$context.httpMethod $context.path","none":"$context.nothing"}';
    const parameters = {
      "gatewayresponse.header.x-fixed": "'text'",
      "gatewayresponse.header.x-id": "context.requestId",
      "gatewayresponse.header.x-from": "method.request.header.X-Sent",
      "gatewayresponse.header.x-missing": "method.request.header.X-Not-Sent",
    };
    const url = await start(echo, {
      responses: [custom("MISSING_AUTHENTICATION_TOKEN", 404, { "application/json": template }, parameters)],
    });
    const { status, headers, json } = await get(`${url}/nowhere?x=1`, { headers: { "x-sent": "sent" } });
    const id = headers.get("x-amzn-requestid");
    expect(status).toBe(404);
    expect(json()).toEqual({ detail: "Missing Authentication Token", id, at: "GET /nowhere", none: "" });
    expect([headers.get("x-fixed"), headers.get("x-id"), headers.get("x-from")]).toEqual(["text", id, "sent"]);
    expect(headers.has("x-missing")).toBe(false);
  });

  it("fall back on the default of their class", async () => {
    const responses = [
      custom("DEFAULT_4XX", undefined, { "text/plain": "four" }),
      custom("DEFAULT_5XX", 500, { "text/plain": "five" }),
    ];
    const url = await start(() => null, { responses });
    const [four, five] = [await get(`${url}/nowhere`), await get(`${url}/users`)];
    expect([four.status, four.text, five.status, five.text]).toEqual([403, "four", 500, "five"]);
  });

  it("choose the template that the client accepts", async () => {
    const templates = { "application/json": "{}", "application/xml": "<a/>" };
    const url = await start(echo, { responses: [custom("DEFAULT_4XX", undefined, templates)] });
    const xml = await get(`${url}/nowhere`, { headers: { accept: "application/xml;q=0.9, */*" } });
    expect([xml.text, xml.headers.get("content-type")]).toEqual(["<a/>", "application/xml"]);
    expect((await get(`${url}/nowhere`, { headers: { accept: "image/png" } })).text).toBe("{}");
  });
});

/** Sends bytes as they are and gives back everything that comes until the server closes. */
async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(bytes);
  let answer = "";
  socket.on("data", (part) => {
    answer += part;
  });
  socket.on("error", () => {});
  await once(socket, "close");
  return answer;
}

describe("limits", () => {
  const tenMegabytes = 10 * 1024 * 1024;

  it("takes a body of 10 MB and refuses a byte more, announced or not", async () => {
    const url = await start((event) => ({
      statusCode: 200,
      body: String(Buffer.from(event.body ?? "", "base64").length),
    }));
    const post = (body: RequestInit["body"]) =>
      get(`${url}/users`, { method: "POST", body, duplex: "half" } as RequestInit);
    expect((await post(new Uint8Array(tenMegabytes))).text).toBe(String(tenMegabytes));
    expect((await post(new Uint8Array(tenMegabytes + 1))).status).toBe(413);
    const chunks = ReadableStream.from([new Uint8Array(tenMegabytes), new Uint8Array(1)]);
    expect((await post(chunks as ReadableStream)).status).toBe(413);
  });

  it("refuses before anything is sent when the client asks first", async () => {
    const url = await start(echo);
    const headers = { Expect: "100-continue", "Content-Length": tenMegabytes + 1 };
    const asked = httpRequest(`${url}/users`, { method: "POST", headers });
    asked.flushHeaders();
    const [response] = await once(asked, "response");
    expect(response.statusCode).toBe(413);
    asked.destroy();
    const small = httpRequest(`${url}/users`, {
      method: "POST",
      headers: { Expect: "100-continue", "Content-Length": 1 },
    });
    small.flushHeaders();
    await once(small, "continue");
    small.end("x");
    const [answer] = await once(small, "response");
    expect(answer.statusCode).toBe(200);
    answer.resume();
  });

  it.each([
    ["junk", "\u0001\u0002 not http\r\n\r\n", /^HTTP\/1.1 400 /],
    ["headers too large", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(11_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
    [
      "two lengths",
      "POST /users HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
      /^HTTP\/1.1 400 /,
    ],
    [
      "length and chunks",
      "POST /users HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1.1 400 /,
    ],
    ["a good request with junk behind it", "GET /users HTTP/1.1\r\nHost: a\r\n\r\n\u0001junk\r\n\r\n", /^HTTP\/1.1 /],
  ])("closes a connection that sends %s, and goes on serving", async (_, bytes, expected) => {
    const url = await start(echo);
    expect(await raw(url, bytes)).toMatch(expected);
    expect((await get(`${url}/users`)).status).toBe(200);
  });

  it.each([
    ["its headers", "POST /users HTTP/1.1\r\nHost: a\r\n"],
    ["its body", "POST /users HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf"],
  ])("cuts off a client that stalls in %s", async (_, bytes) => {
    const url = await start(echo, { requestTimeoutMs: 50 });
    expect(await raw(url, bytes)).toMatch(/^HTTP\/1.1 408 /);
  });

  it("survives clients that leave in mid-request", async () => {
    const url = await start(echo);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("POST /users HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
    await once(socket, "connect");
    socket.destroy();
    expect((await get(`${url}/users`)).status).toBe(200);
  });

  it("stops although a client holds its connection open, and frees the port", async () => {
    const url = await start(echo);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("GET /users HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    await Promise.all([once(socket, "close"), running.pop()!.stop()]);
    await expect(fetch(`${url}/users`)).rejects.toThrow();
  });

  it("says so when the port is in use", async () => {
    const url = await start(echo);
    const port = Number(new URL(url).port);
    const second = new Api({
      ...{ apiId: "a", stage: "s", variables: null, binaryMediaTypes: [], responses: [], body: {} },
      invoke: async () => ({ ok: true, payload: {} }),
    });
    await expect(second.listen("127.0.0.1", port)).rejects.toThrow(
      `Port ${port} is in use by another program; stop that one, or set PORT to a free port.`,
    );
  });
});
