import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkAddresses, checkedUrl, isPublic, parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

describe("an address", () => {
  it.each([
    "0.0.0.0",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:a9fe:a9fe",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "4000::1",
    "2a00:1450::1%lo",
    "localhost",
    "",
    "1.2.3",
    "0x7f.1",
  ])("is not public as %s", (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "140.82.112.3",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "2001:4860:4860::8888",
  ])("is public as %s", (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it("is judged the same in every spelling that a URL allows", () => {
    const spellings = fc.ipV4().chain((address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const whole = a * 2 ** 24 + b * 2 ** 16 + c * 256 + d;
      const hex = `0x${whole.toString(16)}`;
      const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`).join(".");
      return fc.record({
        address: fc.constant(address),
        spelling: fc.constantFrom(
          address,
          String(whole),
          hex,
          octal,
          `${a}.${b}.${c * 256 + d}`,
          `${a}.${whole % 2 ** 24}`,
        ),
      });
    });
    fc.assert(
      fc.property(spellings, ({ address, spelling }) => {
        const { hostname } = checkedUrl(`https://${spelling}/`, new Set());
        expect(isPublic(hostname)).toBe(isPublic(address));
        expect(isPublic(`::ffff:${address}`)).toBe(false);
      }),
    );
  });

  it("never passes among others when one of them is private, in any order", () => {
    const good = fc.array(fc.constantFrom("1.1.1.1", "2606:4700::1111"), { maxLength: 5 });
    const bad = fc.constantFrom("127.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "10.1.2.3");
    const mixed = fc
      .tuple(good, bad)
      .chain(([many, one]) => fc.shuffledSubarray([...many, one], { minLength: many.length + 1 }));
    fc.assert(
      fc.property(mixed, (addresses) => {
        const resolved = addresses.map((address) => ({
          address,
          family: address.includes(":") ? (6 as const) : (4 as const),
        }));
        expect(() => checkAddresses("h", resolved, false)).toThrow(
          expect.objectContaining({ code: "outbound_address_refused" }),
        );
      }),
    );
  });

  it.each([
    ["127.0.0.1", true],
    ["10.0.0.5", true],
    ["fd12::5", true],
    ["169.254.169.254", false],
    ["fd00:ec2::254", false],
    ["fe80::1", false],
    ["0.0.0.0", false],
    ["224.0.0.1", false],
    ["::ffff:169.254.169.254", false],
  ] as const)("of a host that the operator named may be %s: %s", (address, allowed) => {
    const check = () => checkAddresses("h", [{ address, family: address.includes(":") ? 6 : 4 }], true);
    if (allowed) check();
    else expect(check).toThrow(expect.objectContaining({ code: "outbound_address_refused" }));
  });
});

describe("a URL", () => {
  const allowed = parseAllowedHosts("git.corp:3000, 10.0.0.5:443,[fd00::5]:8080");

  it.each([
    ["https://github.com/a", "https://github.com/a"],
    ["https://git.example:8443", "https://git.example:8443/"],
    ["http://GIT.corp:3000/x", "http://git.corp:3000/x"],
    ["https://git.corp:3000/x", "https://git.corp:3000/x"],
    ["http://[fd00:0::5]:8080/", "http://[fd00::5]:8080/"],
  ])("may be %s", (given, read) => {
    expect(checkedUrl(given, allowed).href).toBe(read);
  });

  it.each([
    ["not a url", "outbound_url_malformed"],
    ["https://", "outbound_url_malformed"],
    ["https://256.0.0.1/", "outbound_url_malformed"],
    ["file:///etc/passwd", "outbound_url_malformed"],
    ["data:text/plain,x", "outbound_url_malformed"],
    ["ftp://example.com/", "outbound_not_https"],
    ["gopher://example.com:443/", "outbound_not_https"],
    ["http://example.com/", "outbound_not_https"],
    ["http://git.corp/", "outbound_not_https"],
    ["http://git.corp:3001/", "outbound_not_https"],
    ["ws://git.corp:3000/", "outbound_not_https"],
    ["https://user@example.com/", "outbound_userinfo"],
    ["https://:secret@git.corp:3000/", "outbound_userinfo"],
    ["https://example.com:22/", "outbound_port"],
    ["https://example.com:80/", "outbound_port"],
    ["https://git.corp:9001/", "outbound_port"],
    ["https://evil.git.corp:3000/", "outbound_port"],
  ])("is refused as %s with %s", (given, code) => {
    expect(() => checkedUrl(given, allowed)).toThrow(expect.objectContaining({ code, status: 422 }));
  });

  it.each([
    "git.corp",
    "git.corp:",
    "git.corp:99999",
    "https://git.corp:443",
    "a b:443",
    "git.corp:443/x",
    "u@git.corp:443",
    "git\\x:1",
  ])("of the operator is not %s, and that is said at once", (entry) => {
    expect(() => parseAllowedHosts(`ok:443,${entry}`)).toThrow(entry);
  });
});
