// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how Fn::Sub is written.
import { describe, expect, it } from "vitest";
import { inDependencyOrder, Resolver, references } from "../../lib/local/deploy/intrinsics.ts";
import type { Template } from "../../lib/local/deploy/template.ts";

const template = {
  Resources: {},
  Parameters: { Size: { Type: "String", Default: "small" }, Needed: { Type: "String" } },
  Mappings: { Regions: { "us-east-1": { name: "Virginia" } } },
  Conditions: {
    Small: { "Fn::Equals": [{ Ref: "Size" }, "small"] },
    Large: { "Fn::Not": [{ Condition: "Small" }] },
    Both: { "Fn::And": [{ Condition: "Small" }, { Condition: "Large" }] },
    Either: { "Fn::Or": [{ Condition: "Small" }, { Condition: "Large" }] },
  },
} satisfies Template;

function resolver(): Resolver {
  const made = new Resolver({ template, stackName: "Test", parameters: {} });
  made.add("Table", {
    type: "AWS::DynamoDB::GlobalTable",
    ref: "Test-Table",
    attributes: { Arn: "arn:t", "Stream.Arn": "arn:s" },
  });
  return made;
}

describe("a template's functions", () => {
  it.each([
    ["Ref of a resource", { Ref: "Table" }, "Test-Table"],
    ["Ref of a parameter", { Ref: "Size" }, "small"],
    ["Ref of the account", { Ref: "AWS::AccountId" }, "000000000000"],
    ["GetAtt as a list", { "Fn::GetAtt": ["Table", "Arn"] }, "arn:t"],
    ["GetAtt with dots", { "Fn::GetAtt": "Table.Stream.Arn" }, "arn:s"],
    ["Join", { "Fn::Join": ["/", ["a", { Ref: "Table" }, "b"]] }, "a/Test-Table/b"],
    ["Split and Select", { "Fn::Select": [1, { "Fn::Split": ["-", { Ref: "Table" }] }] }, "Table"],
    ["Sub", { "Fn::Sub": "arn:${AWS::Partition}:${Table}:${Table.Arn}:${!Kept}" }, "arn:aws:Test-Table:arn:t:${Kept}"],
    ["Sub with variables", { "Fn::Sub": ["${a}-${Size}", { a: { Ref: "Table" } }] }, "Test-Table-small"],
    ["If", { "Fn::If": ["Small", "yes", { Ref: "Missing" }] }, "yes"],
    ["If of a negation", { "Fn::If": ["Large", "yes", "no"] }, "no"],
    ["If of both", { "Fn::If": ["Both", "yes", "no"] }, "no"],
    ["If of either", { "Fn::If": ["Either", "yes", "no"] }, "yes"],
    ["FindInMap", { "Fn::FindInMap": ["Regions", { Ref: "AWS::Region" }, "name"] }, "Virginia"],
    ["Base64", { "Fn::Base64": "é" }, "w6k="],
    ["nothing to do", { a: [1, true, null, { b: "c" }] }, { a: [1, true, null, { b: "c" }] }],
    ["NoValue", { a: { Ref: "AWS::NoValue" }, b: [{ Ref: "AWS::NoValue" }, 1] }, { b: [1] }],
    ["NoValue out of an If", { a: { "Fn::If": ["Large", 1, { Ref: "AWS::NoValue" }] } }, {}],
  ])("are resolved: %s", (_, value, expected) => {
    expect(resolver().resolve({ value })).toEqual({ value: expected });
  });

  it.each([
    ["an import", { "Fn::ImportValue": "x" }, "Fn::ImportValue is not supported"],
    ["a missing resource", { Ref: "Missing" }, "refers to Missing"],
    [
      "a missing attribute",
      { "Fn::GetAtt": ["Table", "Name"] },
      "Table (AWS::DynamoDB::GlobalTable) has no attribute Name",
    ],
    ["a parameter without a value", { Ref: "Needed" }, "parameter Needed has no value"],
    ["an entry that is not there", { "Fn::Select": [2, ["a"]] }, "no entry 2"],
    ["a mapping that is not there", { "Fn::FindInMap": ["Regions", "eu", "name"] }, "no eu.name"],
    ["a condition that is not there", { "Fn::If": ["Unknown", 1, 2] }, "no condition Unknown"],
  ])("are refused with the reason: %s", (_, value, message) => {
    expect(() => resolver().resolve(value)).toThrow(message);
  });
});

describe("the order of resources", () => {
  const resource = (properties: object, more: object = {}) => ({ Type: "T", Properties: properties, ...more });

  it("puts each after all that it refers to or depends on", () => {
    const resources = {
      A: resource({ x: { "Fn::Sub": "${B.Arn}/${AWS::Region}" } }),
      B: resource({ y: [{ z: { "Fn::GetAtt": ["C", "Arn"] } }] }),
      C: resource({}, { DependsOn: ["E"] }),
      D: resource({ x: { Ref: "A" }, p: { Ref: "AWS::AccountId" } }, { DependsOn: "C" }),
      E: resource({}),
    };
    expect(inDependencyOrder(resources).map(([id]) => id)).toEqual(["E", "C", "B", "A", "D"]);
  });

  it("refuses a circle", () => {
    const resources = { A: resource({ x: { Ref: "B" } }), B: resource({ x: { Ref: "A" } }) };
    expect(() => inDependencyOrder(resources)).toThrow("A depends on itself");
  });

  it("finds references in any depth", () => {
    const value = {
      a: [{ "Fn::Join": ["", [{ Ref: "A" }, { "Fn::GetAtt": ["B", "Arn"] }]] }, { "Fn::Sub": "${C}${!D}" }],
    };
    expect([...references(value)].toSorted()).toEqual(["A", "B", "C"]);
  });
});
