import { v7 as uuid } from "uuid";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";

/** Somebody new who is in the table, for records that only a user can have. Nobody can sign in as them: they have no password. */
export async function storedUser(role: User["role"] = "member"): Promise<User> {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role, passwordHash: "" }, new Date());
  await createUser(user);
  return user;
}
