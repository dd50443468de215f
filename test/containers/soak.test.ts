import { afterAll, beforeAll, expect, it } from "vitest";
import { soak } from "../bench/soak/soak.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

/** The short form of `npm run bench -- soak`. */
const seed = Number(process.env.SLUICE_SOAK_SEED ?? Date.now() % 100_000);

it("the log is what was acknowledged, in order and once, whatever breaks meanwhile", async () => {
  console.log(`soak: SLUICE_SOAK_SEED=${seed}`);
  const { acknowledged, kills, drains, defects, answers } = await soak({ seconds: 6, restartSeconds: 1.5, seed });
  expect(defects).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  expect(answers.OK).toBe(acknowledged);
  expect(kills + drains).toBeGreaterThan(0);
}, 180_000);
