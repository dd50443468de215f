import { v7 as uuid } from "uuid";
import * as z from "zod";
import { isSluiceError } from "../../platform/errors.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { newUser } from "../user.ts";
import { createUser } from "../user-store.ts";

export const createAdministrator = workflowTask(
  {
    summary: "Creates the first administrator; who may invoke it is IAM's to say, no API leads here",
    // The password is hashed by the operator's command and never travels.
    input: z.object({
      email: z.string().min(3).max(320),
      full_name: z.string(),
      password_hash: z.string().startsWith("$scrypt$"),
    }),
    grants: { writes: ["user", "email", "userDirectory"] },
    timeoutSeconds: 30,
  },
  async ({ email, full_name, password_hash }, now) => {
    const user = newUser({ id: uuid(), email, fullName: full_name, role: "admin", passwordHash: password_hash }, now());
    try {
      await createUser(user);
      return { created: true };
    } catch (error) {
      if (!isSluiceError(error, "email_taken")) throw error;
      return { created: false };
    }
  },
);
