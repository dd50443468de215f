import { beforeAll, expect, it } from "vitest";
import { allFamilies, Catalogue } from "../../functions/engine/catalogue/catalogue.ts";
import { ModelFiles } from "../../functions/engine/catalogue/model-files.ts";
import { cleanedByPattern } from "../../functions/engine/interpret/texts/patterns.ts";
import { catalogueData, readAsset } from "./engine-under-test.ts";

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = new Catalogue(await catalogueData(), new ModelFiles(readAsset));
});

const carries = (pattern: string, family: string): boolean =>
  (cleanedByPattern(catalogue, pattern, false, false) & catalogue.bitsOf([family])) === 0;

it.each([
  "^\\d{4}-\\d{2}$",
  "^[a-z][\\w-]*$",
  "\\A[A-Z]{2}\\d+\\z",
  "^(asc|desc)$",
  "^[\\w.-]+\\.(png|jpe?g)$",
  "^[\\w-]+/[\\w-]+$",
  "^https:\\/\\/files\\.shop\\.example\\/[\\w/-]+$",
])("leaves nothing to attack with: %s", (pattern) => {
  expect(cleanedByPattern(catalogue, pattern, false, false)).toBe(allFamilies);
});

it.each([
  ["^[a-zA-Z' -]+$", ["sql_injection", "xpath_injection"], ["xss", "command_injection", "path_traversal"]],
  ["^[\\w./-]+$", ["path_traversal", "file_inclusion"], ["sql_injection", "command_injection", "xss"]],
  ["^[+-9]+$", ["path_traversal"], ["sql_injection"]],
  ["^https?:\\/\\/[\\w./-]+$", ["ssrf", "open_redirect"], ["sql_injection", "xss"]],
  ["^[\\w &|]+$", ["command_injection"], ["sql_injection"]],
  ["^[\\s\\S]*$", ["sql_injection", "xss", "command_injection"], []],
  ["^[^<>]*$", ["sql_injection", "path_traversal"], ["xss"]],
  ["^[^/\\\\]+$", ["sql_injection", "xss"], ["path_traversal"]],
  ["^.{1,80}$", ["sql_injection", "xss", "path_traversal"], ["log_injection", "header_injection"]],
  ["^\\/[a-z].*$", ["xss"], ["open_redirect"]],
  ["[a-z]+", ["sql_injection", "xss", "path_traversal"], []],
  ["^a|b$", ["sql_injection"], []],
])("tells what %s lets through", (pattern, carried, cleaned) => {
  expect([...carried, ...cleaned].filter((family) => carries(pattern, family))).toEqual(carried);
});
