import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { hashPassword } from "./password.ts";
import { UserView, userView } from "./user.ts";
import { changeUser, named, ProfileChanges } from "./user-changes.ts";
import { replaceUser } from "./user-store.ts";

export const updateMe = operation(
  {
    method: "PUT",
    path: "/users/me",
    summary: "Change one's own profile; role and status are ignored, another password ends all sessions, this one too",
    auth: "user",
    body: named(ProfileChanges),
    success: UserView.extend({ session_ended: z.boolean() }),
    failures: ["email_in_use", "stale_version"],
    grants: { writes: ["user", "email", "userDirectory"] },
    messages: "zh",
    // As for login: scrypt.
    memoryMiB: 1769,
  },
  async ({ body, caller, now }) => {
    const passwordHash = body.password && (await hashPassword(body.password));
    const stored = await replaceUser(caller, changeUser(caller, body, passwordHash, now()));
    // Only login signs tokens, so a new session is the client's to ask for.
    return { ...userView(stored), session_ended: stored.tokenVersion !== caller.tokenVersion };
  },
);
