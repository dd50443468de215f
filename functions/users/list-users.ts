import * as z from "zod";
import { page } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { Role, UserView, userView } from "./user.ts";
import { searchUsers } from "./user-directory.ts";
import { readUsers } from "./user-store.ts";

export const listUsers = operation(
  {
    method: "GET",
    path: "/users",
    summary: "Search users by address, name, phone, role and status, newest first",
    auth: "administrator",
    query: page(100, 20).extend({
      search: z.string().max(320).optional(),
      role: Role.optional(),
      is_active: z.stringbool().optional(),
    }),
    success: z.object({ users: z.array(UserView), total: z.int(), skip: z.int(), limit: z.int() }),
    failures: [],
    grants: { reads: ["user", "userDirectory"] },
    messages: "zh",
    // The first search of an instance reads the whole directory; with twice the memory comes twice the processor.
    memoryMiB: 1024,
  },
  async ({ query: { search, role, is_active: isActive, skip, limit } }) => {
    const { ids, total } = await searchUsers({ search, role, isActive }, { skip, limit });
    const users = await readUsers(ids);
    return { users: users.map(userView), total, skip, limit };
  },
);
