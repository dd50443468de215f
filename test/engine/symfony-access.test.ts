import { expect, it } from "vitest";
import { symfonyAccess } from "../../functions/engine/config/symfony-access.ts";
import { noLimit } from "../../functions/engine/time-limit.ts";

const settings = (...entries: string[]) =>
  `security:\n  access_control:\n${entries.map((one) => `    - ${one}\n`).join("")}`;
const accesses = (...entries: string[]) =>
  symfonyAccess("app/config/security.yml", settings(...entries), noLimit())?.accesses ?? [];

it.each([
  ["^/admin", ["/admin**"]],
  ["^/login$", ["/login"]],
  ["/api/", ["**/api/**"]],
  ["^/(login|sign\\.up)$", null],
  ["^/(login|sign.up)/?$", null],
  ["^/(login|register)/done", ["/login/done**", "/register/done**"]],
  ["^/(?:a|b)/(c|d)$", ["/a/c", "/a/d", "/b/c", "/b/d"]],
  ["^/notes/\\d+/.*$", ["/notes/*/**"]],
  ["^/v1\\.0/[^/]+/edit$", ["/v1.0/*/edit"]],
  ["^/(?!public)", null],
  [`^/${"(a|b)/".repeat(5)}`, null],
])("reads the paths that %s stands for", (expression, paths) => {
  const [access] = accesses(`{ path: '${expression}', roles: ROLE_ADMIN }`);
  expect(access?.paths).toEqual(paths);
});

it.each([
  ["roles: ROLE_ADMIN", ["authentication", "roles-by-path"]],
  ["roles: [ROLE_USER, ROLE_EDITOR]", ["authentication", "roles-by-path"]],
  ["roles: ROLE_USER", ["authentication"]],
  ["role: IS_AUTHENTICATED_FULLY", ["authentication"]],
  ["roles: PUBLIC_ACCESS", ["open"]],
  ["requires_channel: https", ["open"]],
  ["allow_if: \"is_granted('ROLE_A') and request.secure\"", ["authentication", "roles-by-path"]],
])("says what an entry asks: %s", (said, controls) => {
  const [access] = accesses(`{ path: ^/x, ${said} }`);
  expect(access?.controls).toEqual(controls);
});

it("leaves out entries for some callers or hosts, and files of other names or without a list", () => {
  expect(
    accesses("{ path: ^/x, ips: [127.0.0.1], roles: PUBLIC_ACCESS }", "{ path: ^/y, roles: ROLE_A, methods: post }"),
  ).toEqual([expect.objectContaining({ paths: ["/y**"], methods: ["POST"] })]);
  expect(symfonyAccess("config/services.yaml", settings("{ path: ^/x, roles: ROLE_A }"), noLimit())).toBeNull();
  expect(symfonyAccess("config/packages/security.yaml", "security: { firewalls: {} }", noLimit())).toBeNull();
  expect(symfonyAccess("config/packages/security.yaml", "security:\n  access_control: [\n", noLimit())).toBeNull();
});
