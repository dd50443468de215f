import { v7 as uuid } from "uuid";
import { operation } from "../platform/operation.ts";
import { hashPassword } from "./password.ts";
import { UserView, userView } from "./user.ts";
import { draftedUser, named, UserDraft } from "./user-changes.ts";
import * as users from "./user-store.ts";

export const createUser = operation(
  {
    method: "POST",
    path: "/users",
    summary: "Create a user",
    auth: "administrator",
    body: named(UserDraft),
    success: UserView,
    failures: ["email_taken", "user_limit_reached"],
    grants: { writes: ["user", "email", "userDirectory"] },
    messages: "zh",
    idempotent: true,
    // As for login: scrypt.
    memoryMiB: 1769,
  },
  async ({ body, now }) => {
    const user = draftedUser(body, uuid(), await hashPassword(body.password), now());
    await users.createUser(user);
    return userView(user);
  },
);
