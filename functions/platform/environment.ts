import * as z from "zod";
import { parseOrigins } from "./origins.ts";

/** The longest life of an access token that can be configured: eight days. */
export const tokenMinutesMax = 11_520;

/**
 * Everything a function reads from its environment: CDK sets exactly these variables, functions read no others.
 * Front ends share a configuration file with us, so nothing here may ever begin with VITE_.
 */
const Environment = z.object({
  STAGE: z.string().regex(/^[a-z][a-z0-9-]{0,19}$/),
  TABLE_NAME: z.string().min(3),
  SOURCES_BUCKET: z.string().min(3),
  RESULTS_BUCKET: z.string().min(3),
  /** Alias of the key that signs access tokens; only the login function may use it. */
  SIGNING_KEY_ALIAS: z.string().startsWith("alias/"),
  /** Alias of the key that encrypts users' secrets: provider tokens, model keys, SSH keys. */
  SECRETS_KEY_ALIAS: z.string().startsWith("alias/"),
  /** "host:port,..." that outbound requests may reach although they are private, or speak http. */
  OUTBOUND_ALLOWED_HOSTS: z.string().default(""),
  /** "https://app.example.com,...": front ends that are served from elsewhere and may call the API. */
  CORS_ORIGINS: z.string().default("").transform(parseOrigins),
  SCAN_MACHINE_ARN: z.string().startsWith("arn:"),
  ERASURE_MACHINE_ARN: z.string().startsWith("arn:"),
  /** Days that the audit log keeps an entry. */
  AUDIT_DAYS: z.coerce.number().int().min(1).max(3660).default(400),
  /** Life of an access token in minutes. */
  TOKEN_MINUTES: z.coerce.number().int().min(15).max(tokenMinutesMax).default(480),
  /** Whether strangers may make themselves an account. */
  REGISTRATION: z.enum(["on", "off"]),
});

export type Environment = z.infer<typeof Environment>;
/** The variables as CDK has to set them. */
export type EnvironmentVariables = Readonly<Record<keyof Environment, string>>;

/**
 * The environment of this process. Each variable is parsed at its first use: the operation table is also read at synth time, where no function
 * runs, and the programs in containers/ share the stores but have only the variables that these read.
 * @throws ZodError, when it is read, for a variable that is missing or malformed
 */
export const environment = (): Environment => variables;

const variables = Object.defineProperties({}, lazily(Environment.shape)) as Environment;

function lazily(shape: Readonly<Record<string, z.ZodType>>): PropertyDescriptorMap {
  const parsed = new Map<string, unknown>();
  const read = (name: string, schema: z.ZodType) => {
    // The error names the variable, which the schema of one alone would not.
    if (!parsed.has(name)) parsed.set(name, z.object({ [name]: schema }).parse(process.env)[name]);
    return parsed.get(name);
  };
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, { enumerable: true, get: () => read(name, schema) }]),
  );
}
