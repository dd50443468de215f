import { lastSegment, ownerOf } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import type { Run } from "../run.ts";

/** Stands before the name under which a file of Python keeps an object where others of the project find it: `g.mailer = Mailer()`. */
export const ofCarrier = "&";

/** What others call an object that is assigned to one of these paths, if they find it there. */
export function carriedName(run: Run, paths: readonly string[]): string | null {
  const field = paths.find((path) => isFound(run, path));
  return field === undefined ? null : `${ofCarrier}${lastSegment(field)}`;
}

/** The method of such an object that a path names: `g.mailer.send`, `request.app.state.mailer.send`. */
export function carriedTarget(run: Run, path: string): string | null {
  const called = methodOfField(path);
  return called !== null && isFound(run, called.field) ? called.target : null;
}

const isFound = (run: Run, field: string): boolean => run.isCarried(field) || run.knowledge.holders.has(ownerOf(field));

const methodOfField = remembered((path): { field: string; target: string } | null => {
  const [carrier, name, method] = /^(.+)\.(\w+)\.(\w+)$/.exec(path)?.slice(1) ?? [];
  return method === undefined ? null : { field: `${carrier}.${name}`, target: `${ofCarrier}${name}.${method}` };
});
