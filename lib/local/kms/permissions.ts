import type { Json, Permission } from "../service.ts";
import { type EncryptionContext, originOf } from "./ciphertext.ts";
import { keyArn, localName } from "./key.ts";
import type { KeyRing } from "./key-ring.ts";
import { type KmsInput, type KmsOperation, parseInput } from "./kms-input.ts";

/**
 * What the caller's role has to grant, with the condition keys of
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awskeymanagementservice.html
 * The key of a ciphertext is the one named inside it.
 */
export function kmsPermissions(ring: KeyRing, operation: KmsOperation, input: Json): Permission[] {
  switch (operation) {
    case "ListAliases":
      return [{ action: "kms:ListAliases", resource: "*" }];
    case "Decrypt": {
      const { CiphertextBlob, EncryptionContext, KeyId } = parseInput(operation, input);
      return [permission("kms:Decrypt", originOf(CiphertextBlob).keyId, KeyId, EncryptionContext)];
    }
    case "ReEncrypt":
      return reEncryptPermissions(ring, parseInput(operation, input));
    default: {
      const parsed = parseInput(operation, input);
      const context = "EncryptionContext" in parsed ? parsed.EncryptionContext : {};
      return [permission(`kms:${operation}`, ring.idOf(parsed.KeyId), parsed.KeyId, context)];
    }
  }
}

function reEncryptPermissions(ring: KeyRing, input: KmsInput<"ReEncrypt">): Permission[] {
  const { CiphertextBlob, SourceKeyId, SourceEncryptionContext, DestinationKeyId, DestinationEncryptionContext } =
    input;
  const sourceId = originOf(CiphertextBlob).keyId;
  const destinationId = ring.idOf(DestinationKeyId);
  return [
    permission("kms:ReEncryptFrom", sourceId, SourceKeyId, SourceEncryptionContext),
    permission("kms:ReEncryptTo", destinationId, DestinationKeyId, DestinationEncryptionContext),
  ];
}

function permission(action: string, keyId: string, name: string | undefined, pairs: EncryptionContext): Permission {
  const context: Record<string, string | string[]> = {};
  for (const [key, value] of Object.entries(pairs)) context[`kms:EncryptionContext:${key}`] = value;
  if (Object.keys(pairs).length > 0) context["kms:EncryptionContextKeys"] = Object.keys(pairs);
  const alias = name === undefined ? "" : localName(name);
  if (alias.startsWith("alias/")) context["kms:RequestAlias"] = alias;
  return { action, resource: keyArn(keyId), context };
}
