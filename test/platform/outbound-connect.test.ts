import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Outbound, type OutboundProps } from "../../functions/platform/outbound.ts";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

let server: Server;
let met: Socket[];
let port: number;

beforeEach(async () => {
  met = [];
  server = createServer((socket) => met.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterEach(async () => {
  for (const socket of met) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const loopback = async () => [{ address: "127.0.0.1", family: 4 as const }];
const client = (allowed: string, resolve: OutboundProps["resolve"] = loopback) =>
  new Outbound({ allowedHosts: parseAllowedHosts(allowed), resolve });

describe("a connection", () => {
  it("leads to the address that was vetted, by one lookup", async () => {
    const lookups: string[] = [];
    const resolve = async (name: string) => {
      lookups.push(name);
      return loopback();
    };
    const socket = await client(`git.test:${port}`, resolve).connect("git.test", port, 10_000);
    expect([socket.remoteAddress, socket.remotePort, lookups]).toEqual(["127.0.0.1", port, ["git.test"]]);
    socket.destroy();
  });

  it.each([
    ["another port than 22 that nobody named", "git.test", 2222, "", "outbound_port"],
    ["the port of https", "git.test", 443, "", "outbound_port"],
    ["a private address", "git.test", 22, "", "outbound_address_refused"],
    ["a private address, spelled otherwise", "127.1", 22, "", "outbound_address_refused"],
    ["loopback of IPv6", "[::1]", 22, "", "outbound_address_refused"],
    [
      "a metadata service, even if it is named",
      "169.254.169.254",
      22,
      "169.254.169.254:22",
      "outbound_address_refused",
    ],
    ["what is no host at all", "a b", 22, "", "outbound_url_malformed"],
  ])("is refused to %s", async (_, host, toPort, allowed, code) => {
    await expect(client(allowed).connect(host, toPort, 10_000)).rejects.toMatchObject({ code });
    expect(met).toEqual([]);
  });

  it.each([
    ["resolves to nothing", async () => []],
    [
      "is not known",
      async () => {
        throw Object.assign(new Error("canary"), { code: "ENOTFOUND" });
      },
    ],
  ])("to a name that %s is unreachable", async (_, resolve) => {
    const error = await client("", resolve)
      .connect("git.test", 22, 10_000)
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "outbound_unreachable", fields: { host: "git.test", reason: "ENOTFOUND" } });
    expect(error.message).not.toContain("canary");
  });

  it("to a port where nobody listens is unreachable", async () => {
    await new Promise((resolve) => server.close(resolve));
    await expect(client(`127.0.0.1:${port}`).connect("127.0.0.1", port, 10_000)).rejects.toMatchObject({
      code: "outbound_unreachable",
      fields: { reason: "ECONNREFUSED" },
    });
  });

  it("is given up when its name is never resolved", async () => {
    const never = () => new Promise<never>(() => undefined);
    await expect(client("", never).connect("git.test", 22, 50)).rejects.toMatchObject({
      code: "outbound_timeout",
      fields: { host: "git.test", seconds: 0.05 },
    });
  });
});
