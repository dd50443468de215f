import { parseArgs } from "node:util";
import * as z from "zod";
import { isCommonPassword } from "../../functions/users/common-passwords.ts";
import { hashPassword, NewPassword, passwordBytes } from "../../functions/users/password.ts";
import { EmailAddress } from "../../functions/users/user-changes.ts";
import { awsApi } from "./aws-api.ts";
import { type PasswordSource, readPassword } from "./read-password.ts";

export interface Surroundings extends PasswordSource {
  readonly stdout: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
}

export const exitCodes = { created: 0, failed: 1, misused: 2 } as const;

const usage = `npm run create-admin -- --stage <stage> --email <e-mail> [--name <full name>]

Makes the first administrator of a deployed stack. Asks for the password, or reads one line of standard input; the password is hashed here and
only the hash travels. Credentials and region come from where AWS tools look for them (AWS_PROFILE, AWS_REGION, ...); they need
cloudformation:DescribeStacks on the stack and lambda:InvokeFunction on its function.
`;

const Options = z.object({
  stage: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/),
  email: EmailAddress,
  name: z.string().trim().min(1).max(100).default("Administrator"),
});

const Created = z.object({ created: z.boolean() });

/** The command `npm run create-admin`. @returns the exit code */
export async function runCreateAdmin(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, env } = surroundings;
  const options = optionsOf(args);
  if (!options) {
    stderr.write(usage);
    return exitCodes.misused;
  }
  try {
    const aws = awsApi(env);
    // Before the question: who mistyped the stage need not think of a password.
    const functionName = await aws.stackOutput(`Sluice-${options.stage}`, "CreateAdministratorFunction");
    const password_hash = await hashPassword(await newPassword(surroundings));
    const event = { email: options.email, full_name: options.name, password_hash };
    const { created } = Created.parse(await aws.invoke(functionName, event));
    if (!created) throw new Error(`${options.email} already has an account; nothing was changed.`);
    stdout.write(`${options.email} is an administrator of stage ${options.stage} now.\n`);
    return exitCodes.created;
  } catch (error) {
    stderr.write(`${(error as Error).message}\n`);
    return exitCodes.failed;
  }
}

function optionsOf(args: readonly string[]): z.output<typeof Options> | null {
  const string = { type: "string" } as const;
  try {
    const { values } = parseArgs({ args: [...args], options: { stage: string, email: string, name: string } });
    return Options.parse(values);
  } catch {
    return null;
  }
}

async function newPassword(source: PasswordSource): Promise<string> {
  const password = await readPassword(source);
  if (NewPassword.safeParse(password).success) return password;
  // The schema's own texts are Chinese, as those of the operations that use it.
  throw new Error(
    isCommonPassword(password)
      ? "This password is among the first that a guesser tries; choose another one."
      : `A password takes ${passwordBytes.min} to ${passwordBytes.max} bytes.`,
  );
}
