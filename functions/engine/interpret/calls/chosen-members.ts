import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import type { Call } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import { joinTaint, type Value } from "../value.ts";

/** What the name of a member is clean for: which one is called is all that it decides. */
const othersThanCode = (run: Run): Families => allFamilies & ~run.catalogue.bitsOf(["code_injection"]);

/** `getattr(self, name)` of Python: whoever chooses the name chooses what is called, unless it begins with text that the code has written. */
export function chosenMember(run: Run, { callee }: Call, member: Value, name: Value | undefined): Value {
  const isChosen = callee.kind === "variable" && callee.name === "getattr" && run.language === "python";
  if (!isChosen || !name || name.taint.length === 0 || name.prefix) return member;
  const others = othersThanCode(run);
  const chosen = name.taint.map((taint) => ({ ...taint, clean: taint.clean | others }));
  return { ...member, taint: joinTaint(member.taint, chosen) };
}

/** What is called, as far as its name has been chosen: an object that came in is called for what it is, and not for what it holds. */
export function asChosen(run: Run, called: Value): Value | null {
  if (run.language !== "python") return null;
  const others = othersThanCode(run);
  return {
    ...called,
    slots: null,
    taint: called.taint.filter(({ clean }) => clean !== allFamilies && (clean & others) === others),
  };
}
