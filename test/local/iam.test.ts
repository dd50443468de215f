// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how policy variables are written.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arnMatches, globMatches } from "../../lib/local/iam/glob.ts";
import { Iam } from "../../lib/local/iam.ts";
import type { Permission } from "../../lib/local/service.ts";

const account = "000000000000";
const table = `arn:aws:dynamodb:us-east-1:${account}:table/Sluice`;
const key = `arn:aws:kms:us-east-1:${account}:key/k1`;
const fn = `arn:aws:lambda:us-east-1:${account}:function:sweep`;
const rule = `arn:aws:events:us-east-1:${account}:rule/every-hour`;
const lambdaTrust = {
  Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
};

type Statement = Record<string, unknown>;
const allow = (Action: unknown, Resource: unknown, Condition?: unknown): Statement => ({
  Effect: "Allow",
  Action,
  Resource,
  ...(Condition !== undefined && { Condition }),
});
const deny = (Action: unknown, Resource: unknown, Condition?: unknown): Statement => ({
  ...allow(Action, Resource, Condition),
  Effect: "Deny",
});

/** An IAM that knows one role with these statements. */
function iamWith(...statements: Statement[]): Iam {
  const iam = new Iam();
  iam.addRole({ name: "reader", trust: lambdaTrust, policies: [{ Version: "2012-10-17", Statement: statements }] });
  return iam;
}
const ask = (iam: Iam, action: string, resource: string, context?: Permission["context"]) =>
  iam.allows({ role: "reader" }, { action, resource, context });

describe("a role's policies", () => {
  const get = allow("dynamodb:GetItem", table);
  it.each([
    ["nothing is granted", [], "dynamodb:GetItem", table, false],
    ["the action and resource are granted", [get], "dynamodb:GetItem", table, true],
    ["the action is written in another case", [allow("DynamoDB:getitem", table)], "dynamodb:GetItem", table, true],
    ["the resource is written in another case", [get], "dynamodb:GetItem", table.toLowerCase(), false],
    ["only another action is granted", [get], "dynamodb:PutItem", table, false],
    ["only the table is granted, not its index", [get], "dynamodb:GetItem", `${table}/index/by-owner`, false],
    [
      "a star covers the index",
      [allow("dynamodb:Query", `${table}/index/*`)],
      "dynamodb:Query",
      `${table}/index/i`,
      true,
    ],
    ["a star covers actions", [allow(["s3:List*", "dynamodb:Get*"], "*")], "dynamodb:GetItem", table, true],
    [
      "a question mark is one character",
      [allow("s3:GetObject", "arn:aws:s3:::b/?")],
      "s3:GetObject",
      "arn:aws:s3:::b/ab",
      false,
    ],
    ["a deny beats an allow", [allow("*", "*"), deny("dynamodb:GetItem", table)], "dynamodb:GetItem", table, false],
    ["a deny of something else is no matter", [get, deny("dynamodb:PutItem", "*")], "dynamodb:GetItem", table, true],
    [
      "NotAction leaves the action out",
      [{ Effect: "Allow", NotAction: "iam:*", Resource: "*" }],
      "iam:PassRole",
      "*",
      false,
    ],
    [
      "NotAction covers all others",
      [{ Effect: "Allow", NotAction: "iam:*", Resource: "*" }],
      "s3:GetObject",
      "x",
      true,
    ],
    [
      "NotResource leaves it out",
      [{ Effect: "Allow", Action: "*", NotResource: `${table}*` }],
      "dynamodb:GetItem",
      table,
      false,
    ],
    ["NotResource covers all others", [{ Effect: "Allow", Action: "*", NotResource: table }], "kms:Sign", key, true],
  ] as const)("decide when %s", (_, statements, action, resource, expected) => {
    expect(ask(iamWith(...statements), action, resource)).toBe(expected);
  });

  it("may arrive later, as a policy of their own", () => {
    const iam = iamWith();
    iam.attachPolicy("reader", { Statement: get });
    expect(ask(iam, "dynamodb:GetItem", table)).toBe(true);
    expect(() => iam.attachPolicy("nobody", { Statement: get })).toThrow("no role nobody");
  });

  it("belong to their role alone", () => {
    expect(iamWith(get).allows({ role: "other" }, { action: "dynamodb:GetItem", resource: table })).toBe(false);
  });
});

describe("conditions", () => {
  const keys = "dynamodb:LeadingKeys";
  const users = { [keys]: ["U#1", "U#2"] };
  it.each([
    ["StringEquals", { StringEquals: { "a:b": ["x", "y"] } }, { "a:b": "y" }, true],
    ["StringEquals of another value", { StringEquals: { "a:b": "x" } }, { "a:b": "X" }, false],
    ["StringEquals without the key", { StringEquals: { "a:b": "x" } }, {}, false],
    ["a key in another case", { StringEquals: { "AWS:SourceArn": "x" } }, { "aws:SourceArn": "x" }, true],
    ["StringNotEquals", { StringNotEquals: { "a:b": ["x", "y"] } }, { "a:b": "y" }, false],
    ["StringNotEquals without the key", { StringNotEquals: { "a:b": "x" } }, {}, true],
    ["StringEqualsIgnoreCase", { StringEqualsIgnoreCase: { "a:b": "x" } }, { "a:b": "X" }, true],
    ["StringLike", { StringLike: { "s3:prefix": "exports/*" } }, { "s3:prefix": "exports/1" }, true],
    ["StringNotLike", { StringNotLike: { "s3:prefix": "exports/*" } }, { "s3:prefix": "exports/1" }, false],
    ["IfExists with the key", { StringEqualsIfExists: { "a:b": "x" } }, { "a:b": "y" }, false],
    ["IfExists without the key", { StringEqualsIfExists: { "a:b": "x" } }, {}, true],
    ["Bool", { Bool: { "aws:SecureTransport": "true" } }, {}, true],
    ["Null, key expected", { Null: { "a:b": "false" } }, {}, false],
    ["Null, key not expected", { Null: { "a:b": "true" } }, {}, true],
    ["NumericLessThanEquals", { NumericLessThanEquals: { "a:n": "10" } }, { "a:n": "9" }, true],
    ["NumericGreaterThan", { NumericGreaterThan: { "a:n": 10 } }, { "a:n": "9" }, false],
    ["a number that is none", { NumericLessThan: { "a:n": "10" } }, { "a:n": "" }, false],
    ["ArnLike", { ArnLike: { "aws:SourceArn": "arn:aws:events:*:*:rule/*" } }, { "aws:SourceArn": rule }, true],
    ["ArnLike across a colon", { ArnLike: { "aws:SourceArn": "arn:*:rule/x" } }, { "aws:SourceArn": rule }, false],
    ["ForAllValues, all match", { "ForAllValues:StringLike": { [keys]: ["U#*"] } }, users, true],
    ["ForAllValues, one does not", { "ForAllValues:StringEquals": { [keys]: ["U#1"] } }, users, false],
    ["ForAllValues without the key", { "ForAllValues:StringEquals": { [keys]: ["U#1"] } }, {}, true],
    ["ForAnyValue, one matches", { "ForAnyValue:StringEquals": { [keys]: ["U#1"] } }, users, true],
    ["ForAnyValue, none matches", { "ForAnyValue:StringEquals": { [keys]: ["U#3"] } }, users, false],
    ["ForAnyValue without the key", { "ForAnyValue:StringEquals": { [keys]: ["U#1"] } }, {}, false],
    ["two operators, one fails", { StringEquals: { "a:b": "x" }, Bool: { "a:c": "true" } }, { "a:b": "x" }, false],
  ] as const)("are met or not: %s", (_, condition, context, expected) => {
    expect(ask(iamWith(allow("s3:*", "*", condition)), "s3:GetObject", "x", context)).toBe(expected);
    // The same condition on a deny takes away exactly what it would have granted.
    expect(ask(iamWith(allow("*", "*"), deny("s3:*", "*", condition)), "s3:GetObject", "x", context)).toBe(!expected);
  });

  it.each([
    ["an operator", allow("*", "*", { DateLessThan: { "aws:CurrentTime": "2020-01-01" } }), "DateLessThan"],
    ["a policy variable", allow("*", "arn:aws:s3:::b/${aws:username}"), "${aws:username}"],
    ["an element", { ...allow("*", "*"), NotPrincipal: "*" }, "NotPrincipal"],
  ] as const)("are refused rather than guessed: %s", (_, statement, name) => {
    expect(() => iamWith(statement)).toThrow(name);
  });
});

describe("policies of resources", () => {
  const toAccount = {
    Effect: "Allow",
    Action: "kms:*",
    Resource: "*",
    Principal: { AWS: `arn:aws:iam::${account}:root` },
  };
  const toReader = (effect = "Allow") => ({
    Effect: effect,
    Action: "kms:Sign",
    Resource: "*",
    Principal: { AWS: `arn:aws:iam::${account}:role/reader` },
  });
  it.each([
    ["the key delegates and the role grants", [toAccount], [allow("kms:Sign", key)], true],
    ["the key delegates and the role does not grant", [toAccount], [], false],
    ["the key does not delegate, whatever the role grants", [], [allow("kms:*", "*")], false],
    ["the key names the role", [toReader()], [], true],
    ["the key denies the role", [toAccount, toReader("Deny")], [allow("kms:Sign", key)], false],
  ] as const)("of KMS decide when %s", (_, keyStatements, roleStatements, expected) => {
    const iam = iamWith(...roleStatements);
    iam.attachResourcePolicy(key, { Statement: keyStatements });
    expect(ask(iam, "kms:Sign", key)).toBe(expected);
  });

  it("of a bucket grant, deny, and do not mistake loopback for plain HTTP", () => {
    const iam = iamWith(allow("s3:PutObject", "arn:aws:s3:::b/*"));
    const everybody = { AWS: "*" };
    const resources = ["arn:aws:s3:::b", "arn:aws:s3:::b/*"];
    iam.attachResourcePolicy("arn:aws:s3:::b", {
      Statement: [
        { ...deny("s3:*", resources, { Bool: { "aws:SecureTransport": "false" } }), Principal: everybody },
        { ...deny("s3:PutObject", "arn:aws:s3:::b/locked/*"), Principal: "*" },
        { ...allow("s3:GetObject", "arn:aws:s3:::b/*"), Principal: { AWS: `arn:aws:iam::${account}:role/reader` } },
      ],
    });
    expect(ask(iam, "s3:PutObject", "arn:aws:s3:::b/a")).toBe(true);
    expect(ask(iam, "s3:PutObject", "arn:aws:s3:::b/locked/a")).toBe(false);
    expect(ask(iam, "s3:GetObject", "arn:aws:s3:::b/a")).toBe(true);
    expect(ask(iam, "s3:DeleteObject", "arn:aws:s3:::b/a")).toBe(false);
  });

  it("of a function let a service in, for the source they name only", () => {
    const iam = iamWith();
    const Condition = { ArnLike: { "AWS:SourceArn": rule } };
    const Principal = { Service: "events.amazonaws.com" };
    const permit = { Effect: "Allow", Action: "lambda:InvokeFunction", Resource: fn, Principal, Condition };
    iam.attachResourcePolicy(fn, { Statement: permit });
    const invoke = (source: string) => ({
      action: "lambda:InvokeFunction",
      resource: fn,
      context: { "aws:SourceArn": source },
    });
    expect(iam.allowsService("events.amazonaws.com", invoke(rule))).toBe(true);
    expect(iam.allowsService("events.amazonaws.com", invoke(`${rule}-other`))).toBe(false);
    expect(iam.allowsService("apigateway.amazonaws.com", invoke(rule))).toBe(false);
    expect(iam.allows({ role: "reader" }, invoke(rule))).toBe(false);
  });

  it("say which service may use a role", () => {
    const iam = iamWith();
    expect(iam.trusts("reader", "lambda.amazonaws.com", fn)).toBe(true);
    expect(iam.trusts("reader", "states.amazonaws.com", fn)).toBe(false);
    expect(iam.trusts("nobody", "lambda.amazonaws.com", fn)).toBe(false);
  });
});

describe("patterns", () => {
  it("match as a regular expression would", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", ":", "*", "?"), maxLength: 12 });
    fc.assert(
      fc.property(text, text, (pattern, given) => {
        const source = pattern.replace(/./gs, (c) =>
          c === "*" ? ".*" : c === "?" ? "." : `\\u{${c.codePointAt(0)?.toString(16)}}`,
        );
        expect(globMatches(pattern, given)).toBe(new RegExp(`^${source}$`, "us").test(given));
      }),
    );
  });

  it("match whole ARNs", () => {
    expect(arnMatches("*", fn)).toBe(true);
    expect(arnMatches("arn:aws:lambda:*:*:function:*", fn)).toBe(true);
    expect(arnMatches("arn:aws:lambda:*:*:layer:*", fn)).toBe(false);
    expect(arnMatches("arn:aws", fn)).toBe(false);
  });
});

describe("any set of statements", () => {
  const action = fc.constantFrom("s3:GetObject", "s3:PutObject", "kms:Sign", "s3:*", "*");
  const resource = fc.constantFrom("arn:aws:s3:::b/x", "arn:aws:s3:::b/*", "*", table);
  const statement = fc
    .record({ Effect: fc.constantFrom("Allow", "Deny"), Action: action, Resource: resource })
    .map((record) => record as Statement);
  const request = fc.record({
    action: fc.constantFrom("s3:GetObject", "s3:PutObject", "kms:Sign"),
    resource: fc.constantFrom("arn:aws:s3:::b/x", "arn:aws:s3:::c", table),
  });

  it("gives the same answer in any order, and loses by a further deny, wins by no further deny", () => {
    fc.assert(
      fc.property(
        fc.array(statement, { maxLength: 6 }),
        statement,
        request,
        (statements, further, { action, resource }) => {
          const before = ask(iamWith(...statements), action, resource);
          expect(ask(iamWith(...statements.toReversed()), action, resource)).toBe(before);
          const after = ask(iamWith(...statements, further), action, resource);
          if (further.Effect === "Deny") expect(after && !before).toBe(false);
          else expect(before && !after).toBe(false);
        },
      ),
    );
  });
});
