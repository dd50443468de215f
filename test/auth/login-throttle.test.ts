import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Failures,
  freeFailures,
  networkOf,
  subjectsOf,
  waitSeconds,
} from "../../functions/auth/login-throttle.ts";

const at = new Date("2026-03-29T01:59:59.500Z");
const failures = (count: number, kind: Failures["kind"] = "account"): Failures => ({
  kind,
  hash: "",
  count,
  lastAt: at.getTime(),
});
const elapsed = (ms: number) => new Date(at.getTime() + ms);

describe("the wait before the next sign-in", () => {
  it("begins after the free failures and doubles up to a quarter of an hour", () => {
    const waits = Array.from({ length: 18 }, (_, count) => waitSeconds(failures(count), at));
    expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    expect(waitSeconds(failures(freeFailures.address - 1, "address"), at)).toBe(0);
    expect(waitSeconds(failures(freeFailures.address, "address"), at)).toBe(1);
    expect(waitSeconds(failures(5000), at)).toBe(900);
  });

  it("is told in whole seconds that are enough", () => {
    expect(waitSeconds(failures(7), elapsed(1))).toBe(4);
    expect(waitSeconds(failures(7), elapsed(3999))).toBe(1);
    expect(waitSeconds(failures(7), elapsed(4000))).toBe(0);
    const count = fc.integer({ min: 0, max: 40 });
    const waited = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(count, waited, (n, ms) => {
        const wait = waitSeconds(failures(n), elapsed(ms));
        return wait <= 900 && waitSeconds(failures(n), elapsed(ms + wait * 1000)) === 0;
      }),
    );
  });
});

describe("whom failures are counted for", () => {
  it("is the account in whatever spelling, and the network that one subscriber holds", () => {
    expect(subjectsOf(" Bob@Example.test", "1.2.3.4")).toEqual(subjectsOf("bob@example.test", "1.2.3.4"));
    expect(subjectsOf("a@example.test", "1.2.3.4").account).not.toEqual(subjectsOf("b@example.test", "").account);
    expect(JSON.stringify(subjectsOf("bob@example.test", "1.2.3.4"))).not.toMatch(/bob|1\.2\.3/);
  });

  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["::ffff:203.0.113.7", "::ffff:203.0.113.7"],
    ["", ""],
  ])("is for %s the network %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
