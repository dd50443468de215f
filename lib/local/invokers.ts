import type { Integration } from "./api/routes.ts";
import type { Gateway } from "./gateway.ts";
import type { Iam } from "./iam.ts";
import type { Lambda } from "./lambda.ts";
import { AwsError, type Caller, type InvokeResult, type Json, localAccount } from "./service.ts";
import type { States } from "./states.ts";

/** How the services of the embedded cloud reach a function: each by the right that it needs on AWS, asked of IAM first. */
export class Invokers {
  readonly #gateway: Gateway;
  readonly #iam: Iam;
  readonly #lambda: Lambda;
  readonly #states: States;
  readonly #sessions = new Map<string, Caller>();
  /** The rules of the stack by their targets: a function permits rules, and a call from a schedule names its target only. */
  rulesByTarget: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(gateway: Gateway, iam: Iam, lambda: Lambda, states: States) {
    this.#gateway = gateway;
    this.#iam = iam;
    this.#lambda = lambda;
    this.#states = states;
  }

  /** The session in which a service acts as a role. Deployment has made sure that the role trusts the service. */
  roleOf(roleArn: string): Caller {
    const known = this.#sessions.get(roleArn);
    if (known) return known;
    const name = roleArn.replace(/^.*:role\//, "");
    const arn = `arn:aws:sts::${localAccount.account}:assumed-role/${name}/local`;
    const session = this.#gateway.credentials.issue(name, arn);
    this.#sessions.set(roleArn, session);
    return session;
  }

  /** @throws AwsError AccessDeniedException */
  async byRole(caller: Caller, functionArn: string, payload: Json): Promise<InvokeResult> {
    this.#gateway.authorise(caller, "lambda", "Invoke", [invoking(functionArn)]);
    return this.#lambda.invoke(functionArn, payload);
  }

  /** For the API: what IAM refuses is a result like any other. */
  async byApi({ roleArn, functionArn }: Integration, sourceArn: string, event: Json): Promise<InvokeResult> {
    try {
      if (roleArn) return await this.byRole(this.roleOf(roleArn), functionArn, event);
      return await this.#byService("apigateway.amazonaws.com", [sourceArn], functionArn, event);
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      return { ok: false, error: `Lambda.${error.code}`, message: error.message };
    }
  }

  /**
   * For rules: calls a target once.
   * @throws Error when the target may not be called, or fails
   */
  async byRule(targetArn: string, event: Json, roleArn?: string): Promise<void> {
    if (targetArn.startsWith("arn:aws:states:")) return this.#startExecution(targetArn, event, roleArn);
    const result = roleArn
      ? await this.byRole(this.roleOf(roleArn), targetArn, event)
      : await this.#byService("events.amazonaws.com", this.rulesByTarget.get(targetArn) ?? [], targetArn, event);
    if (!result.ok) throw new Error(`${targetArn} failed: ${result.error}: ${result.message}`);
  }

  async #startExecution(stateMachineArn: string, event: Json, roleArn: string | undefined): Promise<void> {
    if (!roleArn) throw new AwsError("AccessDeniedException", `A rule needs a role to start ${stateMachineArn}.`);
    const caller = this.roleOf(roleArn);
    const input = { stateMachineArn, input: JSON.stringify(event) };
    const operation = "StartExecution";
    this.#gateway.authorise(caller, "states", operation, this.#states.permissions(operation, input));
    await this.#states.call(operation, input, caller);
  }

  /** A service without a role needs a permission in the function's own policy. */
  async #byService(
    service: string,
    sources: readonly string[],
    functionArn: string,
    payload: Json,
  ): Promise<InvokeResult> {
    const mayInvoke = (source: string) => {
      const context = { "aws:SourceArn": source, "aws:SourceAccount": localAccount.account };
      return this.#iam.allowsService(service, { ...invoking(functionArn), context });
    };
    if (!sources.some(mayInvoke)) {
      throw new AwsError(
        "AccessDeniedException",
        `${functionArn} has no permission for ${service} (${sources.join(", ")}).`,
      );
    }
    return this.#lambda.invoke(functionArn, payload);
  }
}

const invoking = (resource: string) => ({ action: "lambda:InvokeFunction", resource });
