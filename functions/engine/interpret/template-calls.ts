import { templateTarget } from "../templates/template-target.ts";
import { argumentsAt, type Subject } from "./check.ts";
import { handOver } from "./handover.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

const namesMax = 4;
/** The path of a template that was loaded by name, and a method of it that renders. */
const rendered = /^(template:(?:escaping|plain):.+)\.(?:render|render_async|renderAsync|generate|stream)$/;

/** Hands what a template is rendered with over to it. @returns the paths of a template that the call loads to be rendered later */
export function renderTemplates(run: Run, paths: readonly string[], subject: Subject): string[] {
  for (const path of paths) {
    const target = path.match(rendered)?.[1];
    if (target) {
      handOver(run, target, [], givenAt(subject, ["named", 0]), subject.at);
      return [];
    }
    for (const model of run.knowledge.templates.find(path)) {
      const names = argumentsAt(subject, model.name)
        .flatMap((value) => value.constants ?? [])
        .filter((name) => typeof name === "string" && name !== "");
      if (names.length === 0) continue;
      const escaping = model.escapes ? "escaping" : "plain";
      const targets = names.slice(0, namesMax).map((name) => templateTarget(escaping, String(name)));
      if (model.context.length === 0) return targets;
      const given = givenAt(subject, model.context);
      for (const each of targets) handOver(run, each, [], given, subject.at);
      return [];
    }
  }
  return [];
}

/** The values that a template gets, by their names in it. */
function givenAt(subject: Subject, places: readonly (string | number)[]): Map<string, Value> {
  const given = new Map<string, Value>();
  const addAll = (value: Value | undefined) => {
    if (value?.slots?.shape === "map") for (const [key, entry] of value.slots.entries) given.set(key, entry);
  };
  for (const place of places) {
    if (place === "named") {
      addAll(subject.maps);
      for (const [key, value] of subject.named) given.set(key, value);
    } else for (const value of argumentsAt(subject, place)) addAll(value);
  }
  return given;
}
