import { v7 as uuid } from "uuid";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { type Answered, type Invocation, invokeOperation } from "./invoke-operation.ts";

export interface Person {
  readonly user: User;
  /** Calls an operation through its whole handler. */
  call(operation: string, sent?: Invocation): Promise<Answered>;
  /** The same, and the body of an answer that must be 200. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  ok(operation: string, sent?: Invocation): Promise<any>;
}

/** Somebody new in the table of the test, signed in with an API token. */
export async function person(role: User["role"] = "member", now = () => new Date()): Promise<Person> {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role, passwordHash: "" }, now());
  await createUser(user);
  const token = newSecret();
  await createApiToken(newApiToken({ name: "test", scope: "all", expiresInDays: 1 }, token, user, now()));
  const call = (operation: string, sent: Invocation = {}) =>
    invokeOperation(operation, { token, now: now(), headers: { "Accept-Language": "en" }, ...sent });
  return {
    user,
    call,
    async ok(operation, sent) {
      const { status, body } = await call(operation, sent);
      if (status !== 200) throw new Error(`${operation} answered ${status} ${JSON.stringify(body)}`);
      return body;
    },
  };
}
