import { isSluiceError, SluiceError } from "../platform/errors.ts";
import type { User } from "./user.ts";
import { activeAdministrators } from "./user-directory.ts";

/**
 * Runs a write that takes an administrator away, so that another one always remains. A count would have to be kept right for ever; instead
 * every such write names a witness, another administrator, and DynamoDB refuses it when the witness is none any more. Two who take the
 * right from each other are each other's witness, and so only one of the writes holds.
 * @param write gets the id of the witness and is refused with last_administrator when that one fails; it may run several times
 * @throws SluiceError last_administrator, or permission_denied when the caller has lost the right meanwhile
 */
export async function keepAdministrator<T>(
  target: User,
  caller: User,
  write: (witness: string) => Promise<T>,
): Promise<T> {
  const isSelf = target.id === caller.id;
  // Who changes somebody else is a witness already.
  const witnesses = isSelf ? (await activeAdministrators()).filter((id) => id !== target.id) : [caller.id];
  for (const witness of witnesses) {
    try {
      return await write(witness);
    } catch (error) {
      if (!isSluiceError(error, "last_administrator")) throw error;
    }
  }
  throw new SluiceError(isSelf ? "last_administrator" : "permission_denied");
}
