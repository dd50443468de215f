import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { problems } from "../../functions/platform/problems.ts";

const folder = join(import.meta.dirname, "../../functions/platform/problems");

it("have one row for each code, whatever file it is in", async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith("-problems.ts"));
  const modules = await Promise.all(files.map((name) => import(join(folder, name))));
  const codes = modules.flatMap((exported) => Object.values(exported).flatMap((rows) => Object.keys(rows as object)));
  expect(codes.toSorted()).toEqual(Object.keys(problems).toSorted());
});

it.each(Object.entries(problems))("%s says the same of its fields in both languages", (_, { zh, en }) => {
  const slots = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted();
  expect(slots(zh)).toEqual(slots(en));
});
