import type { Context } from "./iam/condition.ts";
import { type Principal, parsePolicy, type Statement, type Verdict, verdictOf } from "./iam/policy.ts";
import { type Caller, localAccount, type Permission } from "./service.ts";

/** A role as the template describes it. */
export interface RoleProps {
  readonly name: string;
  /** Who may use the role: AssumeRolePolicyDocument. */
  readonly trust: unknown;
  /** Inline policy documents. */
  readonly policies: readonly unknown[];
}

interface Role {
  readonly trust: readonly Statement[];
  readonly statements: Statement[];
}

export const roleArn = (name: string): string => `arn:aws:iam::${localAccount.account}:role/${name}`;

/**
 * Decides what the roles of the synthesised template may do, by the rules of AWS inside one account: an explicit deny wins,
 * then an allow of the role or of the resource's own policy, else no. A KMS key is the exception: its policy alone
 * decides, and the roles count only as far as it delegates to the account.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export class Iam {
  readonly #roles = new Map<string, Role>();
  readonly #resourcePolicies = new Map<string, Statement[]>();
  readonly #tableKeys = new Map<string, { readonly table: string; readonly keyArn: string }>();

  addRole({ name, trust, policies }: RoleProps): void {
    const statements = policies.flatMap((policy) => parsePolicy(policy, "identity"));
    this.#roles.set(name, { trust: parsePolicy(trust, "resource"), statements });
  }

  /** Adds a policy to a role that exists. */
  attachPolicy(roleName: string, document: unknown): void {
    const role = this.#roles.get(roleName);
    if (!role) throw new Error(`There is no role ${roleName} to attach a policy to.`);
    role.statements.push(...parsePolicy(document, "identity"));
  }

  /** Adds a policy to a bucket, key or function, named by its ARN. */
  attachResourcePolicy(arn: string, document: unknown): void {
    const statements = this.#resourcePolicies.get(arn) ?? [];
    this.#resourcePolicies.set(arn, [...statements, ...parsePolicy(document, "resource")]);
  }

  /**
   * Notes that a table lies under a customer key. DynamoDB decrypts with the rights of its caller, so whoever uses the
   * table needs the key as well.
   */
  encryptTable(table: string, arn: string, keyArn: string): void {
    this.#tableKeys.set(arn, { table, keyArn });
  }

  /** Whether a role may do something; an unknown role may do nothing. */
  allows(caller: Pick<Caller, "role">, permission: Permission): boolean {
    return this.#decides(caller, permission) && this.#mayUseKey(caller, permission);
  }

  #mayUseKey(caller: Pick<Caller, "role">, { resource }: Permission): boolean {
    const key = this.#tableKeys.get(resource.split("/index/", 1)[0]!);
    if (!key) return true;
    const context = {
      "kms:ViaService": `dynamodb.${localAccount.region}.amazonaws.com`,
      "kms:EncryptionContext:aws:dynamodb:tableName": key.table,
      "kms:EncryptionContext:aws:dynamodb:subscriberId": localAccount.account,
    };
    return this.#decides(caller, { action: "kms:Decrypt", resource: key.keyArn, context });
  }

  #decides(caller: Pick<Caller, "role">, permission: Permission): boolean {
    const principal: Principal = { kind: "role", arn: roleArn(caller.role) };
    const request = { ...permission, principal, context: contextOf(permission, principal) };
    const byRole = verdictOf(this.#roles.get(caller.role)?.statements ?? [], request);
    const policy = this.#resourcePolicies.get(ownerOf(permission.resource));
    const byResource = verdictOf(policy ?? [], request);
    if (byRole === "deny" || byResource === "deny") return false;
    if (policy && permission.resource.startsWith("arn:aws:kms:")) {
      return byResource === "allow" || (byResource === "delegate" && byRole === "allow");
    }
    return byRole === "allow" || byResource === "allow";
  }

  /** Whether a service may do something on its own behalf, which only the resource's policy can grant. */
  allowsService(name: string, permission: Permission): boolean {
    const principal: Principal = { kind: "service", name };
    const request = { ...permission, principal, context: contextOf(permission, principal) };
    return verdictOf(this.#resourcePolicies.get(ownerOf(permission.resource)) ?? [], request) === "allow";
  }

  /** Whether the trust policy of a role lets a service use it for one of its resources; CloudFormation fails without. */
  trusts(roleName: string, service: string, sourceArn: string): boolean {
    const principal: Principal = { kind: "service", name: service };
    const source = { "aws:SourceArn": sourceArn, "aws:SourceAccount": localAccount.account };
    const permission = { action: "sts:AssumeRole", resource: roleArn(roleName), context: source };
    const request = { ...permission, principal, context: contextOf(permission, principal) };
    const verdict: Verdict = verdictOf(this.#roles.get(roleName)?.trust ?? [], request);
    return verdict === "allow";
  }
}

/** A bucket's policy covers its objects; every other resource policy covers exactly its resource. */
const ownerOf = (resource: string): string =>
  resource.startsWith("arn:aws:s3:::") ? resource.split("/", 1)[0]! : resource;

function contextOf(permission: Permission, principal: Principal): Context {
  const context: Record<string, string | readonly string[]> = {
    "aws:PrincipalAccount": localAccount.account,
    "aws:ResourceAccount": localAccount.account,
    "aws:RequestedRegion": localAccount.region,
    // Loopback stands where TLS would: nobody but this machine sees it, and a policy that demands TLS must not stop it.
    "aws:SecureTransport": "true",
    ...(principal.kind === "role" ? { "aws:PrincipalArn": principal.arn } : {}),
    ...permission.context,
  };
  return new Map(
    Object.entries(context).map(([key, value]) => [key.toLowerCase(), Array.isArray(value) ? value : [String(value)]]),
  );
}
