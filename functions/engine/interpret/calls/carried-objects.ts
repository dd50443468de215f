import { remembered } from "../../catalogue/remembered.ts";
import type { Run } from "../run.ts";

/** Stands before the name under which a file of Python keeps an object where others of the project find it: `g.mailer = Mailer()`. */
export const ofCarrier = "&";

/** The method of such an object that a path names: `g.mailer.send`, `request.app.state.mailer.send`. */
export function carriedTarget(run: Run, path: string): string | null {
  const called = methodOfField(path);
  return called !== null && run.isCarried(called.field) ? called.target : null;
}

const methodOfField = remembered((path): { field: string; target: string } | null => {
  const [carrier, name, method] = /^(.+)\.(\w+)\.(\w+)$/.exec(path)?.slice(1) ?? [];
  return method === undefined ? null : { field: `${carrier}.${name}`, target: `${ofCarrier}${name}.${method}` };
});
