import { v7 as uuid } from "uuid";
import * as z from "zod";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { hashPassword, NewPassword } from "../users/password.ts";
import { newUser, UserView, userView } from "../users/user.ts";
import { EmailAddress, FullName, named } from "../users/user-changes.ts";
import { createUser, readUserByEmail } from "../users/user-store.ts";

export const register = operation(
  {
    method: "POST",
    path: "/auth/register",
    summary: "Make oneself an account, where that is allowed",
    auth: "anyone",
    body: named(z.object({ email: EmailAddress, password: NewPassword, full_name: FullName })),
    success: UserView,
    failures: ["registration_off", "email_taken", "user_limit_reached"],
    grants: { reads: ["email", "user"], writes: ["email", "user", "userDirectory"] },
    messages: "zh",
    // As for login: scrypt.
    memoryMiB: 1769,
  },
  async ({ body, identify, now }) => {
    if (environment().REGISTRATION === "off") throw new SluiceError("registration_off");
    // Creating checks again and atomically; looking first spares the hashing.
    if (await readUserByEmail(body.email)) throw new SluiceError("email_taken");
    const { email, full_name: fullName } = body;
    const passwordHash = await hashPassword(body.password);
    // A stranger is a member, also the very first one: administrators come from the operator.
    const user = newUser({ id: uuid(), email, fullName, role: "member", passwordHash }, now());
    await createUser(user);
    identify(user.id);
    return userView(user);
  },
);
