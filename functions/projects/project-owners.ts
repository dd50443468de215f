import type * as z from "zod";
import type { User } from "../users/user.ts";
import { readUser } from "../users/user-store.ts";
import { type Project, type ProjectView, projectView } from "./project.ts";

/** Who created a project: usually the caller, whose record is at hand. */
export const ownerOf = async (project: Project, caller: User): Promise<User | null> =>
  project.ownerId === caller.id ? caller : readUser(project.ownerId);

/** Projects as the caller sees them, each with its owner, whose record is read once. */
export async function projectViews(projects: readonly Project[], caller: User): Promise<z.input<typeof ProjectView>[]> {
  const owners = new Map<string, Promise<User | null>>();
  return Promise.all(
    projects.map(async (project) => {
      const owner = owners.get(project.ownerId) ?? ownerOf(project, caller);
      owners.set(project.ownerId, owner);
      return projectView(project, await owner);
    }),
  );
}
