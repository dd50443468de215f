import { describe, expect, it } from "vitest";
import { comparable, fits, isExact } from "../../functions/engine/link/path-patterns.ts";
import { asAnt } from "../../functions/engine/web/servlet-patterns.ts";

describe("a pattern", () => {
  it.each([
    ["/notes", "/notes", true],
    ["/notes", "/notes/1", false],
    ["notes/**", "/notes", true],
    ["/notes/**", "/notes", true],
    ["/notes/**", "/notes/1/tags", true],
    ["/notes/**", "/notesheets", false],
    ["/notes/*", "/notes/{id}", true],
    ["/notes/*", "/notes/{id}/tags", false],
    ["/notes/mine", "/notes/{id}", false],
    ["/notes/{id}/tags", "/notes/{note:[0-9]{3}}/tags", true],
    ["/**/*.do", "/old/remove.do", true],
    ["/**/*.do", "/remove.do", true],
    ["/**", "/", true],
    ["/**/tags", "/tags", true],
    ["/not?s", "/notes", true],
    ["/a.b", "/axb", false],
    ["/{*rest}", "/notes/1", true],
  ])("%s and the route %s: %s", (pattern, route, answer) => {
    expect(fits(pattern, comparable(route) as string)).toBe(answer);
  });

  it("takes linear time for whatever is written", () => {
    const began = performance.now();
    fits(`/${"*a".repeat(400)}`, `/${"a".repeat(2000)}b`);
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it.each([
    ["/notes/mail", true],
    ["/notes/*", false],
    ["/notes/{id}", false],
  ])("%s names one path: %s", (pattern, answer) => {
    expect(isExact(pattern)).toBe(answer);
  });

  it.each([
    ["/notes/*", "/notes/**"],
    ["*.do", "/**/*.do"],
    ["/", "/**"],
    ["/notes", "/notes"],
  ])("of servlets, %s is %s", (pattern, ant) => {
    expect(asAnt(pattern)).toBe(ant);
  });
});

describe("the path of a route", () => {
  it.each([null, "/:", "/api:x", "#{base}/notes"])("%s is not known", (path) => {
    expect(comparable(path)).toBeNull();
  });

  it.each([
    ["notes/", "/notes"],
    ["/:id/tags", "/{id}/tags"],
    ["/<int:id>", "/{id}"],
  ])("%s is compared like %s", (path, other) => {
    expect(comparable(path)).toBe(comparable(other));
  });
});
