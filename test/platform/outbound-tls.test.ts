import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Outbound, readAll } from "../../functions/platform/outbound.ts";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const trusted = getCACertificates("default");

/** Needs openssl to make a certificate; nothing in Node does. */
describe.skipIf(!hasOpenssl)("an outbound request over TLS", () => {
  let server: Server;
  let port: number;
  let certificate: string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "outbound-tls-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = ["-keyout", key, "-out", cert, "-subj", "/CN=git.test", "-addext", "subjectAltName=DNS:git.test"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...made], {
      stdio: "ignore",
    });
    certificate = readFileSync(cert, "utf8");
    server = createServer({ key: readFileSync(key), cert: certificate }, (_, response) => response.end("over TLS"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterAll(async () => {
    setDefaultCACertificates(trusted);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const get = (host: string) =>
    new Outbound({
      allowedHosts: parseAllowedHosts(`${host}:${port}`),
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    }).exchange(`https://${host}:${port}/`, { deadlineMs: 10_000, bytesMax: 100 }, readAll);

  it("refuses a certificate that nobody vouches for, even where checks are switched off for the process", async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      const reason = "DEPTH_ZERO_SELF_SIGNED_CERT";
      await expect(get("git.test")).rejects.toMatchObject({ code: "outbound_unreachable", fields: { reason } });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it("takes a trusted one for the name in the URL, and for no other", async () => {
    setDefaultCACertificates([...trusted, certificate]);
    expect((await get("git.test")).toString()).toBe("over TLS");
    const reason = "ERR_TLS_CERT_ALTNAME_INVALID";
    await expect(get("other.test")).rejects.toMatchObject({ code: "outbound_unreachable", fields: { reason } });
  });
});
