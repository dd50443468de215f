import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { DataLayer } from "../../lib/data/data-layer.ts";
import { statementsOf } from "../../lib/functions/grants.ts";

/** The keys and the alias of a generation, and what a function that signs is granted. */
function generation(signingKeyGeneration?: number) {
  const stack = new Stack(new App(), "Sluice-test", { env: { account: "000000000000", region: "us-east-1" } });
  const data = new DataLayer(stack, "Data", { stage: "test", signingKeyGeneration });
  const machine = "arn:aws:states:us-east-1:000000000000:stateMachine:none";
  const signing = statementsOf({ signTokens: true }, data, { scan: machine, erasure: machine }).find((statement) =>
    statement.actions.includes("kms:Sign"),
  );
  const template = Template.fromStack(stack);
  const keys = template.findResources("AWS::KMS::Key", { Properties: { KeySpec: "ECC_NIST_P256" } });
  const aliases = template.findResources("AWS::KMS::Alias", {
    Properties: { AliasName: "alias/sluice-test-tokens" },
  });
  const [[aliasId, alias] = []] = Object.entries(aliases);
  return {
    keys,
    aliasId,
    current: alias?.Properties.TargetKeyId["Fn::GetAtt"][0] as string,
    granted: signing?.resources.map((arn) => stack.resolve(arn)["Fn::GetAtt"][0]),
  };
}

it("rotates by a new key beside the one before, under the same alias", () => {
  const [first, second, third] = [generation(1), generation(2), generation(3)];
  expect(Object.keys(first.keys)).toEqual([first.current]);
  expect(Object.keys(second.keys).toSorted()).toEqual([first.current, second.current].toSorted());
  expect(Object.keys(third.keys).toSorted()).toEqual([second.current, third.current].toSorted());
  expect(new Set([first, second, third].map(({ aliasId }) => aliasId))).toEqual(
    new Set(["DataSigningKeyAlias553DAB24"]),
  );
  for (const key of Object.values(third.keys)) expect(key.DeletionPolicy).toBe("Retain");
});

it("lets login sign with the key before as long as a running function may hold it", () => {
  for (const made of [generation(), generation(2)]) {
    expect(made.granted?.toSorted()).toEqual(Object.keys(made.keys).toSorted());
  }
});

it.each([0, -1, 1.5, Number.NaN])("refuses generation %s", (wrong) => {
  expect(() => generation(wrong)).toThrow(/signingKeyGeneration/);
});
