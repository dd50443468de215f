import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import * as z from "zod";
import { parseAllowedHosts } from "../../functions/platform/outbound-policy.ts";

const onOff = z.enum(["on", "off"]);
const port = z.coerce.number().int().min(0).max(65_535);
const atLeastOne = z.coerce.number().int().min(1);

/** A certificate or key: PEM itself, as a secret in the environment is, or the path of a file with it. */
const Pem = z.string().transform((text, context) => {
  if (text.startsWith("-----BEGIN ")) return Buffer.from(text);
  try {
    return readFileSync(text);
  } catch (error) {
    context.addIssue(`is neither PEM nor a file that can be read (${(error as NodeJS.ErrnoException).code})`);
    return z.NEVER;
  }
});

/** Where the log and the callers' tokens lie. The stores of functions/ read these; a program says at its start what would fail at the first call. */
const Storage = z.object({
  TABLE_NAME: z.string().min(3),
  RESULTS_BUCKET: z.string().min(3),
  AWS_REGION: z.string().min(3),
});

/** Everything that the two programs read from their environment, besides where data is stored. */
const Settings = z
  .object({
    GRPC_HOST: z.string().default("127.0.0.1"),
    GRPC_PORT: port,
    /** "on": callers need an API token. @default "off" on loopback, else "on" */
    GRPC_AUTHENTICATION: onOff.optional(),
    /** "on": serves without TLS although others than this machine may connect. */
    GRPC_PLAINTEXT: onOff.default("off"),
    GRPC_TLS_CERTIFICATE: Pem.optional(),
    GRPC_TLS_KEY: Pem.optional(),
    /** Authorities of client certificates; with it, clients without one are turned away. */
    GRPC_TLS_CLIENT_CA: Pem.optional(),
    GRPC_REFLECTION: onOff.default("on"),
    GRPC_MESSAGE_MIB: atLeastOne.max(256).default(64),
    /** Bytes of requests held at once. @default a quarter of the memory there is */
    GRPC_IN_FLIGHT_MIB: atLeastOne.optional(),
    /** Bytes of segments held for samples and shared streams. @default a quarter of GRPC_IN_FLIGHT_MIB */
    GRPC_REPLAY_CACHE_MIB: atLeastOne.optional(),
    GRPC_QUOTA_CALLS_PER_SECOND: atLeastOne.optional(),
    GRPC_QUOTA_BYTES_PER_SECOND: atLeastOne.optional(),
    /** Where parameters may be brought to besides public addresses, as for the functions: "10.0.0.5:50052, robot.corp.example:443". */
    OUTBOUND_ALLOWED_HOSTS: z.string().default("").transform(parseAllowedHosts),
    METRICS_HOST: z.string().default("127.0.0.1"),
    METRICS_PORT: port.optional(),
    /** "on": metrics as lines that CloudWatch reads. */
    METRICS_EMF: onOff.default("off"),
  })
  .superRefine((settings, context) => {
    const refuse = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
    const tls = settings.GRPC_TLS_CERTIFICATE !== undefined;
    if (tls !== (settings.GRPC_TLS_KEY !== undefined)) refuse("GRPC_TLS_KEY", "certificate and key come together");
    if (settings.GRPC_TLS_CLIENT_CA && !tls)
      refuse("GRPC_TLS_CLIENT_CA", "client certificates need a certificate here");
    if (isLoopback(settings.GRPC_HOST)) return;
    if (!tls && settings.GRPC_PLAINTEXT === "off")
      refuse("GRPC_PLAINTEXT", "beyond loopback, set GRPC_TLS_CERTIFICATE and GRPC_TLS_KEY, or this to on");
    if (settings.GRPC_AUTHENTICATION === "off" && !settings.GRPC_TLS_CLIENT_CA)
      refuse("GRPC_AUTHENTICATION", "beyond loopback it can only be off where clients need a certificate");
  })
  .transform((settings) => {
    const inFlight = settings.GRPC_IN_FLIGHT_MIB ?? Math.floor(memoryBytes() / 4 / mebi);
    return {
      ...settings,
      GRPC_AUTHENTICATION: settings.GRPC_AUTHENTICATION ?? (isLoopback(settings.GRPC_HOST) ? "off" : "on"),
      GRPC_IN_FLIGHT_MIB: inFlight,
      GRPC_REPLAY_CACHE_MIB: settings.GRPC_REPLAY_CACHE_MIB ?? Math.ceil(inFlight / 4),
    };
  });

export type Settings = z.infer<typeof Settings>;

export const mebi = 1024 * 1024;

/** True for addresses that only this machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);

/** A container's limit where there is one; without one the operating system answers with something beyond all memory. */
const memoryBytes = (): number => Math.min(totalmem(), process.constrainedMemory() || Infinity);

/**
 * Reads the settings of a program.
 * @param defaults of variables that differ between the programs
 * @throws Error with a line for each variable that is missing or malformed
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  defaults: Readonly<Record<string, string>>,
): Settings {
  return read(Settings, { ...defaults, ...environment }, "how to serve");
}

/** @throws Error with a line for each variable that is missing or malformed */
export function requireStorage(environment: Readonly<Record<string, string | undefined>>): void {
  read(Storage, environment, "where data is stored");
}

function read<T extends z.ZodType>(schema: T, environment: object, what: string): z.infer<T> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(({ path, message }) => `  ${path.join(".")}: ${message}`);
  throw new Error(`the environment does not say ${what}:\n${lines.join("\n")}`);
}
