import * as z from "zod";

/** One write, or one refused attempt to sign in. Never what was sent or answered: only ids, and who, when and from where. */
export const AuditEntry = z.object({
  /** Id of the request; the answer's body, the logs and API Gateway know it by the same. */
  id: z.string(),
  /** When API Gateway received the request. */
  createdAt: z.iso.datetime(),
  /** The operationId. */
  operation: z.string(),
  /** Null when nobody was signed in. */
  userId: z.string().nullable(),
  /** The API token used, if it was one. */
  tokenId: z.string().nullable(),
  /** Pseudonym of the address that was given to sign in. The address itself is not kept: people type passwords into that field. */
  emailHash: z.string().nullable(),
  /** Ids that the request named or that the answer gave, by the name they had there. */
  targets: z.record(z.string(), z.string()),
  sourceIp: z.string(),
  userAgent: z.string(),
  /** "done", or the code of the refusal. */
  outcome: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditEntryView = z.object({
  request_id: z.string(),
  created_at: z.string(),
  operation: z.string(),
  user_id: z.string().nullable(),
  token_id: z.string().nullable(),
  email_hash: z.string().nullable(),
  targets: z.record(z.string(), z.string()),
  source_ip: z.string(),
  user_agent: z.string(),
  outcome: z.string(),
});

export const auditEntryView = (entry: AuditEntry): z.input<typeof AuditEntryView> => ({
  request_id: entry.id,
  created_at: entry.createdAt,
  operation: entry.operation,
  user_id: entry.userId,
  token_id: entry.tokenId,
  email_hash: entry.emailHash,
  targets: entry.targets,
  source_ip: entry.sourceIp,
  user_agent: entry.userAgent,
  outcome: entry.outcome,
});

const uuid = z.uuid();
/** No operation names more things; a body that tries to is cut. */
const targetsMax = 10;

/** The ids among the fields of what a request carried, or of its answer. Where two have one name, the first source wins. */
export function targetsOf(...sources: unknown[]): Record<string, string> {
  const found = new Map<string, string>();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) {
      if (/^(?:\w{1,40}_)?id$/.test(name) && !found.has(name) && uuid.safeParse(value).success) found.set(name, value);
    }
  }
  return Object.fromEntries([...found].slice(0, targetsMax));
}
