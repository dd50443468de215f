import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { openEngine } from "./engine-under-test.ts";
import { isFound, type Mark, sampleApplications } from "./sample-applications.ts";

const applications = sampleApplications();
const findings = new Map<string, Finding[]>();
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  for (const { name, files } of applications) {
    const artefacts = await Promise.all(files.map((file) => engine.analyse(file)));
    findings.set(name, engine.link(artefacts));
  }
});

describe.each(applications.map((app) => [app.name, app] as const))("sample %s", (name, { marks }) => {
  // What is known to be missing is counted by `npm run bench -- engine`.
  const missed = (says: Mark["says"], wanted: boolean) =>
    marks
      .filter((mark) => mark.says === says && !mark.todo && isFound(findings.get(name) ?? [], mark) !== wanted)
      .map((mark) => `${mark.place} ${mark.family}`);

  it("finds what is vulnerable", () => {
    expect(missed("vuln", true)).toEqual([]);
  });

  it("leaves alone what is safe", () => {
    expect(missed("safe", false)).toEqual([]);
  });
});
