import { remembered } from "../../catalogue/remembered.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";
import { isOfProject } from "./handover.ts";

/** An object of another file under a name by which others of the project ask for it: `{ orders: new OrderRepository(pool) }`. */
export interface Wiring {
  name: string;
  object: string;
}

/** An object that a function of another file is given: `new OrderController(service)`. */
export interface GivenObject {
  target: string;
  argument: number;
  object: string;
}

/** Composition roots of large applications make some two hundred; what makes more is a list of settings. */
const wiringsMax = 500;

/** `{ orders: new OrderRepository(pool) }`, `fastify.decorate("users", new UserRepository(pool))` */
export function noteWiring(run: Run, name: unknown, value: Value): void {
  if (run.language !== "javascript" || typeof name !== "string") return;
  const object = objectOf(value);
  if (object !== null && run.wirings.size < wiringsMax) run.wirings.set(`${name}\0${object}`, { name, object });
}

/** What a call hands on: by its place where the function is one of the project, and by a name that stands before it. */
export function noteGivenObjects(run: Run, target: string | null, args: readonly Value[]): void {
  if (run.language !== "javascript") return;
  const [first, second] = args;
  const name = first?.constants?.length === 1 ? first.constants[0] : undefined;
  if (second && name !== undefined) noteWiring(run, name, second);
  if (target === null) return;
  for (const [argument, value] of args.entries()) {
    const object = objectOf(value);
    if (object !== null && run.givenObjects.size < wiringsMax)
      run.givenObjects.set(`${target}\0${argument}\0${object}`, { target, argument, object });
  }
}

/** What was made by another file, or is all of it. */
function objectOf({ paths }: Value): string | null {
  for (const path of paths) {
    const object = madeElsewhere(path);
    if (object !== null) return object;
  }
  return null;
}

const madeElsewhere = remembered((path) => (isOfProject.test(path) ? path.replaceAll("()", "") : null));
