import { type Json, localAccount } from "../service.ts";
import type { Template, TemplateResource } from "./template.ts";

/** What a resource is known by once it exists. */
export interface Deployed {
  readonly type: string;
  /** What `Ref` gives. */
  readonly ref: string;
  /** What `Fn::GetAtt` gives. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface ResolverProps {
  readonly template: Template;
  readonly stackName: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Stands for `AWS::NoValue`: the property or list entry that has it is left out. */
const noValue = Symbol("AWS::NoValue");

/** Resolves a template's intrinsic functions against what is deployed so far. */
export class Resolver {
  readonly #template: Template;
  readonly #pseudo: Readonly<Record<string, Json>>;
  readonly #parameters: Readonly<Record<string, string>>;
  readonly #deployed = new Map<string, Deployed>();

  constructor({ template, stackName, parameters }: ResolverProps) {
    const { account, region } = localAccount;
    this.#template = template;
    this.#parameters = parameters;
    this.#pseudo = {
      "AWS::AccountId": account,
      "AWS::Region": region,
      "AWS::Partition": "aws",
      "AWS::URLSuffix": "amazonaws.com",
      "AWS::StackName": stackName,
      "AWS::StackId": `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/local`,
      "AWS::NotificationARNs": [],
      "AWS::NoValue": noValue,
    };
  }

  /** Makes a resource known to the references of later ones. */
  add(logicalId: string, deployed: Deployed): void {
    this.#deployed.set(logicalId, deployed);
  }

  get deployed(): ReadonlyMap<string, Deployed> {
    return this.#deployed;
  }

  /**
   * The value with every intrinsic function replaced.
   * @throws Error for a function or reference that is not known here
   */
  resolve(value: Json): Json {
    if (Array.isArray(value)) return value.map((entry) => this.resolve(entry)).filter((entry) => entry !== noValue);
    if (value === null || typeof value !== "object") return value;
    const entries = Object.entries<Json>(value);
    const [name, argument] = entries[0] ?? ["", undefined];
    if (entries.length === 1 && (name === "Ref" || name.startsWith("Fn::"))) return this.#call(name, argument);
    return Object.fromEntries(
      entries.map(([key, entry]) => [key, this.resolve(entry)] as const).filter(([, entry]) => entry !== noValue),
    );
  }

  /** Whether a resource or output with this condition is part of the stack; without one it is. */
  holds(condition: string | undefined): boolean {
    return condition === undefined || this.#test({ Condition: condition });
  }

  #call(name: string, argument: Json): Json {
    switch (name) {
      case "Ref":
        return this.#ref(argument);
      case "Fn::GetAtt": {
        const [logicalId, ...path] = Array.isArray(argument) ? argument : String(argument).split(".");
        return this.#attribute(logicalId, path.join("."));
      }
      case "Fn::Sub":
        return Array.isArray(argument) ? this.#substitute(argument[0], argument[1]) : this.#substitute(argument, {});
      case "Fn::Join":
        return this.resolve(argument[1]).join(argument[0]);
      case "Fn::Split":
        return String(this.resolve(argument[1])).split(argument[0]);
      case "Fn::Select":
        return this.#select(Number(this.resolve(argument[0])), this.resolve(argument[1]));
      case "Fn::Base64":
        return Buffer.from(String(this.resolve(argument))).toString("base64");
      case "Fn::FindInMap":
        return this.#findInMap(this.resolve(argument));
      case "Fn::If":
        return this.resolve(this.holds(argument[0]) ? argument[1] : argument[2]);
      default:
        throw new Error(`The template function ${name} is not supported by the embedded cloud.`);
    }
  }

  #ref(name: string): Json {
    if (Object.hasOwn(this.#pseudo, name)) return this.#pseudo[name];
    const parameter = this.#template.Parameters?.[name];
    if (parameter) {
      const value = this.#parameters[name] ?? parameter.Default;
      if (value === undefined) throw new Error(`The template's parameter ${name} has no value.`);
      return value;
    }
    return this.#resource(name).ref;
  }

  #attribute(logicalId: string, name: string): string {
    const { type, attributes } = this.#resource(logicalId);
    const value = attributes[name];
    if (value === undefined) {
      throw new Error(`${logicalId} (${type}) has no attribute ${name} in the embedded cloud.`);
    }
    return value;
  }

  #resource(logicalId: string): Deployed {
    const deployed = this.#deployed.get(logicalId);
    if (!deployed) throw new Error(`The template refers to ${logicalId}, which is not deployed.`);
    return deployed;
  }

  #substitute(text: string, variables: Json): string {
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (Object.hasOwn(variables, name)) return String(this.resolve(variables[name]));
      return String(name.includes(".") ? this.#call("Fn::GetAtt", name) : this.#ref(name));
    });
  }

  #select(index: number, list: readonly Json[]): Json {
    if (list[index] === undefined)
      throw new Error(`Fn::Select: there is no entry ${index} in ${JSON.stringify(list)}.`);
    return list[index];
  }

  #findInMap([map, first, second]: readonly string[]): Json {
    const value = this.#template.Mappings?.[map!]?.[first!]?.[second!];
    if (value === undefined) throw new Error(`Fn::FindInMap: the mapping ${map} has no ${first}.${second}.`);
    return this.resolve(value);
  }

  #test(condition: Json): boolean {
    const [[name, argument] = ["", undefined]] = Object.entries<Json>(condition);
    switch (name) {
      case "Condition": {
        const named = this.#template.Conditions?.[argument];
        if (!named) throw new Error(`The template has no condition ${argument}.`);
        return this.#test(named);
      }
      case "Fn::Equals":
        return JSON.stringify(this.resolve(argument[0])) === JSON.stringify(this.resolve(argument[1]));
      case "Fn::And":
        return argument.every((part: Json) => this.#test(part));
      case "Fn::Or":
        return argument.some((part: Json) => this.#test(part));
      case "Fn::Not":
        return !this.#test(argument[0]);
      default:
        throw new Error(`The condition function ${name} is not supported by the embedded cloud.`);
    }
  }
}

/** The logical ids that a value refers to, in whatever depth; parameters and pseudo parameters among them. */
export function references(value: Json): Set<string> {
  const found = new Set<string>();
  collect(value, found);
  return found;
}

function collect(value: Json, found: Set<string>): void {
  if (value === null || typeof value !== "object") return;
  for (const [key, entry] of Object.entries<Json>(value)) {
    if (key === "Ref") found.add(entry);
    else if (key === "Fn::GetAtt") found.add(Array.isArray(entry) ? entry[0] : String(entry).split(".")[0]!);
    else if (key === "Fn::Sub") {
      const text = Array.isArray(entry) ? entry[0] : entry;
      for (const [, name] of text.matchAll(/\$\{([^!}.]+)[^}]*\}/g)) found.add(name);
    }
    collect(entry, found);
  }
}

/**
 * The resources in an order in which each comes after what it refers to or depends on.
 * @throws Error when they go round in a circle
 */
export function inDependencyOrder(resources: Template["Resources"]): [string, TemplateResource][] {
  const ordered = new Map<string, TemplateResource>();
  const visiting = new Set<string>();
  const visit = (logicalId: string): void => {
    const resource = resources[logicalId];
    if (!resource || ordered.has(logicalId)) return;
    if (visiting.has(logicalId)) throw new Error(`The template's resource ${logicalId} depends on itself.`);
    visiting.add(logicalId);
    for (const needed of references(resource.Properties)) visit(needed);
    for (const needed of [resource.DependsOn ?? []].flat()) visit(needed);
    ordered.set(logicalId, resource);
  };
  for (const logicalId of Object.keys(resources)) visit(logicalId);
  return [...ordered];
}
