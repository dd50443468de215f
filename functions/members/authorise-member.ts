import { SluiceError } from "../platform/errors.ts";
import { authorise } from "../projects/authorise.ts";
import type { User } from "../users/user.ts";
import type { Member, MemberRole } from "./member.ts";
import { readMember } from "./member-store.ts";

/**
 * The member of a project that the caller may bring to `becomes`: an admin manages everybody but owners, an owner everybody but who
 * created the project, and leaving is everybody's own right.
 * @throws SluiceError project_not_found, permission_denied, member_not_found, project_owner_fixed
 */
export async function authoriseMember(
  caller: Pick<User, "id">,
  projectId: string,
  userId: string,
  becomes: MemberRole | "leaves" | undefined,
): Promise<Member> {
  const ownLeave = becomes === "leaves" && userId === caller.id;
  const project = await authorise(caller, ownLeave ? "read" : "manage", projectId);
  if (userId === project.ownerId) throw new SluiceError("project_owner_fixed");
  const member = await readMember(project.id, userId);
  const concernsOwners = becomes === "owner" || member.role === "owner";
  if (concernsOwners && !ownLeave) await authorise(caller, "delete", project.id);
  return member;
}
