import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readSettings } from "../../bin/local/settings.ts";

const fileWith = (text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), "sluice-env-")), ".env");
  writeFileSync(file, text);
  return file;
};

it("reads the file, lets the environment win, and never looks at a front end's variables", () => {
  const file = fileWith("PORT=1000\nSLUICE_DATA_DIR=/data\nVITE_PORT=1\nVITE_SLUICE_DATA_DIR=/evil\nOTHER=x\n");
  expect(readSettings({ PORT: "2000" }, file)).toEqual({
    port: 2000,
    actorLearner: { learnerPort: 50_051, actorPort: 50_052 },
    dataFolder: "/data",
    outboundAllowedHosts: "",
    corsOrigins: "",
    administrator: null,
  });
});

it.each([
  ["PORT=many", /PORT/],
  ["PORT=70000", /PORT/],
  ["LEARNER_PORT=many", /LEARNER_PORT/],
  ["SLUICE_OUTBOUND_ALLOWED_HOSTS=git.corp:443,git.other", /"git.other" is not a host with a port/],
  ["SLUICE_CORS_ORIGINS=https://app.test,app.test/x", /"app.test\/x" is not a scheme and a host/],
  ["SLUICE_CORS_ORIGINS=*", /"\*" is not a scheme and a host/],
  ["SLUICE_ADMIN_PASSWORD=short", /SLUICE_ADMIN_PASSWORD/],
  ["SLUICE_ADMIN_EMAIL=a@b.test", /go together/],
])("refuses %s and says why", (text, message) => {
  expect(() => readSettings({}, fileWith(text))).toThrow(message);
});
