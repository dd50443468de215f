import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Outbound, type OutboundProps, type OutboundRequest, readAll } from "../../functions/platform/outbound.ts";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

/** The tests' server, and another origin on another port. Both are reached by name, and no resolver but ours knows the names. */
let home: FakeServer;
let foreign: FakeServer;
let lookups: string[];

beforeEach(async () => {
  [home, foreign] = [await startServer(), await startServer()];
  lookups = [];
});
afterEach(() => Promise.all([home.stop(), foreign.stop()]));

interface FakeServer {
  readonly port: number;
  answer: RequestListener;
  readonly seen: IncomingMessage[];
  stop(): Promise<void>;
}

async function startServer(): Promise<FakeServer> {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request);
    fake.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeServer = {
    port: (server.address() as AddressInfo).port,
    answer: (_, response) => response.end("hello"),
    seen,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

const limits = { deadlineMs: 10_000, bytesMax: 1000 };
const homeUrl = (path = "/") => `http://git.test:${home.port}${path}`;
const foreignUrl = (path = "/") => `http://other.test:${foreign.port}${path}`;

function client(resolve?: OutboundProps["resolve"], alsoAllowed = "") {
  const allowedHosts = parseAllowedHosts(`git.test:${home.port},other.test:${foreign.port},${alsoAllowed}`);
  const loopback = async (hostname: string) => {
    lookups.push(hostname);
    return [{ address: "127.0.0.1", family: 4 as const }];
  };
  return new Outbound({ allowedHosts, resolve: resolve ?? loopback });
}

const get = (url: string, request: Partial<OutboundRequest> = {}, outbound = client()) =>
  outbound.exchange(url, { ...limits, ...request }, async (answer) => ({
    status: answer.status,
    url: answer.url.href,
    body: (await readAll(answer)).toString(),
  }));

const redirect =
  (location: string, status = 302): RequestListener =>
  (_, response) =>
    response.writeHead(status, { location }).end();

describe("an outbound request", () => {
  it("brings status, place and body, and asks for nothing by proxy", async () => {
    process.env.HTTP_PROXY = process.env.http_proxy = process.env.ALL_PROXY = foreignUrl();
    home.answer = (_, response) => response.writeHead(404).end("no such thing");
    try {
      expect(await get(homeUrl("/a?b#c"))).toEqual({ status: 404, url: homeUrl("/a?b#c"), body: "no such thing" });
    } finally {
      for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) delete process.env[name];
    }
    expect(foreign.seen).toHaveLength(0);
    expect(home.seen[0]?.headers).toMatchObject({ host: `git.test:${home.port}`, "user-agent": "Sluice" });
  });

  it("sends a body with POST and does not carry it along a redirect", async () => {
    home.answer = (request, response) => request.pipe(response);
    expect(await get(homeUrl(), { method: "POST", body: "prompt" })).toMatchObject({ status: 200, body: "prompt" });
    home.answer = redirect(foreignUrl(), 307);
    await expect(get(homeUrl(), { method: "POST", body: "prompt" })).rejects.toMatchObject({
      code: "outbound_redirects",
    });
    expect(foreign.seen).toHaveLength(0);
  });

  it("refuses a token that would end its header", async () => {
    const credentials = { authorization: "Bearer a\r\nHost: b" };
    await expect(get(homeUrl(), { credentials })).rejects.toMatchObject({ code: "outbound_credentials_malformed" });
    expect(home.seen).toHaveLength(0);
  });

  it("passes on what its reader throws, and closes the connection", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    home.answer = (_, response) => {
      response.on("close", resolve);
      response.write("never ends");
    };
    const failing = client().exchange(homeUrl(), limits, async () => Promise.reject(new RangeError("mine")));
    await expect(failing).rejects.toThrow(new RangeError("mine"));
    await closed;
  });
});

describe("the address behind a name", () => {
  it("is connected to as it was vetted: the name is looked up once", async () => {
    const answers = ["127.0.0.1", "169.254.169.254", "10.0.0.1"];
    const rebinding = async (hostname: string) => {
      lookups.push(hostname);
      return [{ address: answers.shift()!, family: 4 as const }];
    };
    expect(await get(homeUrl(), {}, client(rebinding))).toMatchObject({ body: "hello" });
    expect(lookups).toEqual(["git.test"]);
  });

  it("is vetted anew at each hop, so a name that changes its mind is refused", async () => {
    const answers = ["127.0.0.1", "169.254.169.254"];
    home.answer = redirect(homeUrl("/again"));
    const rebinding = async () => [{ address: answers.shift()!, family: 4 as const }];
    await expect(get(homeUrl(), {}, client(rebinding))).rejects.toMatchObject({ code: "outbound_address_refused" });
    expect(home.seen).toHaveLength(1);
  });

  it.each([
    ["loopback", "127.0.0.1", 4],
    ["the metadata service", "169.254.169.254", 4],
    ["IPv6 loopback", "::1", 6],
    ["mapped loopback", "::ffff:127.0.0.1", 6],
  ] as const)("is refused when it is %s, even behind a good one", async (_, address, family) => {
    const resolve = async () => [
      { address: "93.184.215.14", family: 4 as const },
      { address, family },
    ];
    const asked = get("https://rebind.example/", {}, client(resolve));
    await expect(asked).rejects.toMatchObject({ code: "outbound_address_refused" });
  });

  it.each([
    "https://127.0.0.1:8443/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
  ])("is checked when the URL spells it out: %s", async (url) => {
    await expect(get(url)).rejects.toMatchObject({ code: "outbound_address_refused" });
    expect(lookups).toEqual([]);
  });

  it("is refused for localhost by the machine's own resolver", async () => {
    const asked = get("https://localhost/", {}, new Outbound());
    await expect(asked).rejects.toMatchObject({ code: "outbound_address_refused" });
  });

  it.each([
    ["ENOTFOUND", async () => Promise.reject(Object.assign(new Error("getaddrinfo secret"), { code: "ENOTFOUND" }))],
    ["ENOTFOUND", async () => []],
  ])("that cannot be found ends as %s", async (reason, resolve) => {
    const failed = await get(homeUrl(), {}, client(resolve)).catch((error) => error);
    expect(failed).toMatchObject({ code: "outbound_unreachable", status: 502, fields: { host: "git.test", reason } });
    expect(failed.message).not.toContain("secret");
  });
});

describe("a redirect", () => {
  const credentials = { authorization: "Bearer canary", "private-token": "canary" };

  it("to the same origin keeps credentials, to another drops them for good", async () => {
    home.answer = ({ url }, response) => {
      const next = url === "/1" ? "/2" : url === "/2" ? foreignUrl("/3") : null;
      if (next) response.writeHead(302, { location: next }).end();
      else response.end("home again");
    };
    foreign.answer = redirect(homeUrl("/4"));
    expect(await get(homeUrl("/1"), { credentials })).toMatchObject({ url: homeUrl("/4"), body: "home again" });
    const tokens = (server: FakeServer) => server.seen.map(({ headers }) => headers.authorization ?? null);
    expect(tokens(home)).toEqual(["Bearer canary", "Bearer canary", null]);
    expect(tokens(foreign)).toEqual([null]);
    expect([...home.seen, ...foreign.seen].filter(({ headers }) => headers["private-token"])).toHaveLength(2);
  });

  it.each([
    ["http://169.254.169.254/latest/meta-data/", "outbound_not_https"],
    ["https://169.254.169.254/latest/meta-data/", "outbound_address_refused"],
    ["https://169.254.170.2/v2/credentials", "outbound_address_refused"],
    ["https://[fd00:ec2::254]/", "outbound_address_refused"],
    ["http://127.0.0.1:9001/2018-06-01/runtime/invocation/next", "outbound_not_https"],
    ["http://127.0.0.1:{home}/", "outbound_not_https"],
    ["https://user:pass@git.test/", "outbound_userinfo"],
    ["https://git.test:22/", "outbound_port"],
    ["file:///etc/passwd", "outbound_url_malformed"],
    ["http://[", "outbound_url_malformed"],
  ])("to %s ends as %s", async (location, code) => {
    home.answer = redirect(location.replace("{home}", String(home.port)));
    await expect(get(homeUrl())).rejects.toMatchObject({ code });
    expect(home.seen).toHaveLength(1);
  });

  it("is followed three times, not more", async () => {
    home.answer = ({ url }, response) =>
      response.writeHead(url === "/3" ? 200 : 301, { location: `/${Number(url?.slice(1)) + 1}` }).end("there");
    expect(await get(homeUrl("/0"))).toMatchObject({ url: homeUrl("/3"), body: "there" });
    home.answer = ({ url }, response) => response.writeHead(308, { location: `/${Number(url?.slice(1)) + 1}` }).end();
    await expect(get(homeUrl("/0"))).rejects.toMatchObject({ code: "outbound_redirects", status: 502 });
    expect(home.seen).toHaveLength(8);
  });

  it("to nowhere is an error", async () => {
    home.answer = (_, response) => response.writeHead(302).end("no location");
    await expect(get(homeUrl())).rejects.toMatchObject({ code: "outbound_redirects" });
  });
});

describe("an answer", () => {
  const bytesMax = 1000;
  const stream = (response: ServerResponse, chunk: Buffer): void => {
    if (!response.destroyed) response.write(chunk, () => stream(response, chunk));
  };

  it("may be as long as the limit, compressed or not", async () => {
    for (const headers of [{}, { "content-encoding": "gzip" }]) {
      const body = Buffer.alloc(bytesMax, "x");
      home.answer = (_, response) =>
        response.writeHead(200, headers).end("content-encoding" in headers ? gzipSync(body) : body);
      expect((await get(homeUrl())).body).toBe(body.toString());
    }
  });

  it.each<[string, RequestListener]>([
    ["declares more", (_, response) => response.writeHead(200, { "content-length": bytesMax + 1 }).write("x")],
    ["is one byte longer", (_, response) => response.writeHead(200).end(Buffer.alloc(bytesMax + 1))],
    ["never ends", (_, response) => stream(response, Buffer.alloc(100))],
    [
      "unpacks to more",
      (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(200_000))),
    ],
  ])("is refused when it %s", async (_, answer) => {
    home.answer = answer;
    await expect(get(homeUrl())).rejects.toMatchObject({ code: "outbound_too_large", fields: { limit: bytesMax } });
  });

  it("hands on nothing of a bomb beyond the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    home.answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    let bytes = 0;
    const asked = client().exchange(homeUrl(), { ...limits, bytesMax: 100_000 }, async ({ chunks }) => {
      for await (const chunk of chunks) bytes += chunk.length;
    });
    await expect(asked).rejects.toMatchObject({ code: "outbound_too_large" });
    expect(bytes).toBeLessThanOrEqual(100_000);
    expect(bytes).toBeGreaterThan(50_000);
  });

  it.each<[string, string, Buffer]>([
    ["an encoding nobody asked for", "br", brotliCompressSync("x")],
    ["two encodings", "gzip, gzip", gzipSync(gzipSync("x"))],
    ["broken gzip", "gzip", Buffer.from("this is no gzip")],
    ["cut gzip", "gzip", gzipSync("x".repeat(100)).subarray(0, 15)],
  ])("with %s is refused", async (_, encoding, body) => {
    home.answer = (_request, response) => response.writeHead(200, { "content-encoding": encoding }).end(body);
    await expect(get(homeUrl())).rejects.toMatchObject({ code: "outbound_encoding" });
  });

  it.each<[string, RequestListener]>([
    ["head", () => undefined],
    ["body", (_, response) => response.writeHead(200).write("some")],
    [
      "body, byte by byte",
      (_, response) => {
        response.writeHead(200);
        const dripping = setInterval(() => response.write("."), 5);
        response.on("close", () => clearInterval(dripping));
      },
    ],
    ["next hop", ({ url }, response) => void (url === "/" && response.writeHead(302, { location: "/slow" }).end())],
  ])("that never finishes its %s ends at the deadline", async (_, answer) => {
    home.answer = answer;
    const asked = get(homeUrl(), { deadlineMs: 150, bytesMax: 1_000_000 });
    await expect(asked).rejects.toMatchObject({ code: "outbound_timeout", status: 504, fields: { seconds: 0.15 } });
  });

  it.each([
    ["before its answer begins", () => {}],
    ["in the middle of its answer", (_: IncomingMessage, response: ServerResponse) => void response.write("half")],
  ])("is ended by a host that falls silent %s", async (_, answer) => {
    home.answer = answer;
    const asked = get(homeUrl(), { silenceMs: 50 });
    await expect(asked).rejects.toMatchObject({ code: "outbound_silent", status: 504, fields: { seconds: 0.05 } });
  });

  it("is not waited for by a name lookup that hangs", async () => {
    const hanging = client(() => new Promise(() => undefined));
    await expect(get(homeUrl(), { deadlineMs: 50 }, hanging)).rejects.toMatchObject({ code: "outbound_timeout" });
  });

  it.each<[string, RequestListener]>([
    [
      "is cut",
      (_, response) => response.writeHead(200, { "content-length": 10 }).write("abc", () => response.destroy()),
    ],
    ["is no HTTP", ({ socket }) => void socket.end("SSH-2.0-canary\r\n")],
    ["has endless headers", ({ socket }) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${"canary".repeat(10_000)}`)],
    [
      "switches protocols",
      ({ socket }) => void socket.write("HTTP/1.1 101 S\r\nupgrade: canary\r\nconnection: upgrade\r\n\r\n"),
    ],
  ])("that %s is told without what it said", async (_, answer) => {
    home.answer = answer;
    const failed = await get(homeUrl()).catch((error) => error);
    expect(failed).toMatchObject({ code: "outbound_unreachable" });
    expect(failed.message).not.toContain("canary");
  });

  it("from a server without TLS or with a certificate of its own is not taken over https", async () => {
    const failed = await get(`https://git.test:${home.port}/`).catch((error) => error);
    expect(failed).toMatchObject({ code: "outbound_unreachable" });
  });
});
