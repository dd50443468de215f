import { allFamilies } from "../../catalogue/catalogue.ts";
import { lastName } from "../../ir/called-name.ts";
import { type Call, type Expression, wholeMap } from "../../ir/ir.ts";
import { change } from "../guards/refined.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";

/** What compares two texts without telling by its time how far they agree: nobody uses it for anything but signatures. */
const comparesSecrets =
  /^(hash_equals|compare_digest|timingSafeEqual|ConstantTimeCompare|FixedTimeEquals|secure_compare)$/;
const signs = /hmac|sign|wp_hash|^mac$/i;
/** What anything is compared by that is not a secret of its own may be called after signs of another kind. */
const signsForSure = /hmac/i;
/** What is signed are bytes: `url.encode()`. */
const asBytes = /^(encode|getBytes|to_bytes)$/;
const nestingMax = 6;

/** `hash_equals(hash_hmac("sha256", $data, $key), $given)`: who does not have the key has not made the data. */
export function signatureTest(run: Run, frame: Frame, { callee, args }: Call): void {
  const name = lastName(callee);
  if (!comparesSecrets.test(name)) return;
  for (const { value } of args)
    for (const signed of signedIn(originOf(frame, value), false, 0)) change(run, frame, signed, allFamilies);
}

/** `hmac.new(key, data).hexdigest() == given`: the same, compared like any other text. */
export function signatureEqual(run: Run, frame: Frame, sides: readonly Expression[]): void {
  for (const side of sides) {
    if (side.kind !== "call" && side.kind !== "variable") continue;
    const made = originOf(frame, side);
    if (made.kind === "call" && isSigning(made, 0, signsForSure))
      for (const signed of signedIn(made, true, 0)) change(run, frame, signed, allFamilies);
  }
}

const originOf = (frame: Frame, value: Expression): Expression =>
  (value.kind === "variable" ? frame.scope.binding(value.name)?.origins.get(value.name) : undefined) ?? value;

/** The variables that go into a call that signs, or into what is signed with in a chain of calls. */
function signedIn(e: Expression, isSigned: boolean, depth: number): Expression[] {
  if (depth > nestingMax) return [];
  if (accessPath(e) !== null) return isSigned ? [e] : [];
  if (e.kind === "template") return e.parts.flatMap((part) => signedIn(part, isSigned, depth + 1));
  if (e.kind === "operation") return e.operands.flatMap((operand) => signedIn(operand, isSigned, depth + 1));
  if (e.kind !== "call") return [];
  const inside = isSigned || isSigning(e, depth);
  if (inside && e.callee.kind === "field" && asBytes.test(e.callee.name))
    return signedIn(e.callee.of, inside, depth + 1);
  const chain =
    e.callee.kind === "field" && e.callee.of.kind === "call" ? signedIn(e.callee.of, inside, depth + 1) : [];
  return [
    ...chain,
    ...e.args.filter(({ name }) => name !== wholeMap).flatMap(({ value }) => signedIn(value, inside, depth + 1)),
  ];
}

function isSigning({ callee }: Call, depth: number, names = signs): boolean {
  if (callee.kind === "variable") return names.test(callee.name);
  if (callee.kind !== "field" || depth > nestingMax) return false;
  const { of } = callee;
  return (
    names.test(callee.name) ||
    names.test(accessPath(of) ?? "") ||
    (of.kind === "call" && isSigning(of, depth + 1, names))
  );
}
