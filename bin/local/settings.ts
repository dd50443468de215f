import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import * as z from "zod";
import { parseOrigins } from "../../functions/platform/origins.ts";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

const root = resolve(import.meta.dirname, "../..");

/** What `npm start` can be told, by environment or by the file .env of the checkout; the environment wins. */
const Settings = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(8787),
  LEARNER_PORT: z.coerce.number().int().min(0).max(65_535).default(50_051),
  ACTOR_PORT: z.coerce.number().int().min(0).max(65_535).default(50_052),
  SLUICE_DATA_DIR: z.string().min(1).default(".sluice"),
  SLUICE_OUTBOUND_ALLOWED_HOSTS: z.string().superRefine(readableBy(parseAllowedHosts)).default(""),
  SLUICE_CORS_ORIGINS: z.string().superRefine(readableBy(parseOrigins)).default(""),
  SLUICE_ADMIN_EMAIL: z.string().min(3).max(320).optional(),
  SLUICE_ADMIN_PASSWORD: z.string().min(8).max(1024).optional(),
});

/** Says at the start what would otherwise fail at the first request. */
function readableBy(parse: (list: string) => unknown): (list: string, context: z.RefinementCtx) => void {
  return (list, context) => {
    try {
      parse(list);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  };
}

export interface Settings {
  readonly port: number;
  /** Of the actor-learner services. */
  readonly actorLearner: { readonly learnerPort: number; readonly actorPort: number };
  readonly dataFolder: string;
  /** "host:port,..." inside the own network that users may name: a GitLab of the company, say. */
  readonly outboundAllowedHosts: string;
  /** "https://app.example.com,...": front ends that are served from elsewhere. */
  readonly corsOrigins: string;
  readonly administrator: { readonly email: string; readonly password: string } | null;
}

/**
 * Reads the settings. A front end may share the file: its variables (VITE_*) and anything else we do not know are ignored.
 * @throws Error with one readable line per problem
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env, file = join(root, ".env")): Settings {
  const fromFile = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const given = Object.entries({ ...fromFile, ...environment }).filter(
    ([name, value]) => !name.startsWith("VITE_") && value !== "",
  );
  const parsed = Settings.safeParse(Object.fromEntries(given));
  if (!parsed.success)
    throw new Error(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"));
  const { PORT, SLUICE_DATA_DIR, SLUICE_ADMIN_EMAIL: email, SLUICE_ADMIN_PASSWORD: password } = parsed.data;
  if ((email === undefined) !== (password === undefined)) {
    throw new Error("SLUICE_ADMIN_EMAIL and SLUICE_ADMIN_PASSWORD go together: set both or neither");
  }
  return {
    port: PORT,
    actorLearner: { learnerPort: parsed.data.LEARNER_PORT, actorPort: parsed.data.ACTOR_PORT },
    dataFolder: resolve(root, SLUICE_DATA_DIR),
    outboundAllowedHosts: parsed.data.SLUICE_OUTBOUND_ALLOWED_HOSTS,
    corsOrigins: parsed.data.SLUICE_CORS_ORIGINS,
    administrator: email !== undefined && password !== undefined ? { email, password } : null,
  };
}
