import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { SluiceStack } from "../../lib/sluice-stack.ts";

const bundle = mkdtempSync(join(tmpdir(), "sluice-bundle-"));
writeFileSync(join(bundle, "nothing"), "");

function synthesised(stage: string, context: Record<string, string> = {}) {
  const app = new App({ context, outdir: mkdtempSync(join(tmpdir(), "sluice-synth-")) });
  const env = { account: "000000000000", region: "us-east-1" };
  const stack = new SluiceStack(app, "Sluice", { stage, bundle, env });
  return { template: Template.fromStack(stack), folder: app.synth().directory };
}

const kinds = (template: Template) =>
  new Set(Object.values<{ Type: string }>(template.toJSON().Resources).map(({ Type }) => Type.split("::")[1]));

// biome-ignore lint/suspicious/noExplicitAny: a CloudFormation template is looked into at every depth.
type Any = any;

describe("without being asked for", () => {
  it.each<Record<string, string>>([{}, { actorLearner: "0" }])(
    "is nothing of it in a deployed stack (%o)",
    (context) => {
      const found = kinds(synthesised("prod", context).template);
      for (const kind of ["ECS", "EC2", "ElasticLoadBalancingV2"]) expect(found).not.toContain(kind);
    },
  );

  it("are only the task definitions in a local one, on ports that can be chosen", () => {
    const { template } = synthesised("local");
    expect(kinds(template)).not.toContain("EC2");
    template.resourceCountIs("AWS::ECS::TaskDefinition", 2);
    template.resourceCountIs("AWS::ECS::Service", 0);
    template.hasParameter("LearnerPort", { Type: "Number", Default: 50_051 });
    template.hasParameter("ActorPort", { Type: "Number", Default: 50_052 });
  });
});

describe("with actors wanted", () => {
  const { template, folder } = synthesised("prod", { actorLearner: "2" });

  it("runs read-only, without root, with time to drain, and asks callers for tokens", () => {
    for (const [name, port] of [["learner", 50_051] as const, ["actor", 50_052] as const]) {
      template.hasResourceProperties("AWS::ECS::TaskDefinition", {
        Cpu: "256",
        Memory: "512",
        RuntimePlatform: { CpuArchitecture: "ARM64" },
        ContainerDefinitions: [
          Match.objectLike({
            EntryPoint: ["node", `containers/${name}/main.ts`],
            ReadonlyRootFilesystem: true,
            User: "node",
            StopTimeout: 120,
            PortMappings: [{ ContainerPort: port, Protocol: "tcp" }],
            Environment: Match.arrayWith([{ Name: "GRPC_HOST", Value: "0.0.0.0" }]),
          }),
        ],
      });
    }
    expect(JSON.stringify(template.findResources("AWS::ECS::TaskDefinition"))).not.toContain("GRPC_AUTHENTICATION");
  });

  it("has one learner, since one at a time owns a run, and actors that grow", () => {
    template.hasResourceProperties("AWS::ECS::Service", {
      DesiredCount: 1,
      DeploymentConfiguration: Match.objectLike({ DeploymentCircuitBreaker: { Enable: true, Rollback: true } }),
    });
    template.hasResourceProperties("AWS::ApplicationAutoScaling::ScalableTarget", { MinCapacity: 2, MaxCapacity: 8 });
  });

  it("lets nobody but the balancer and its own clients connect, and only the VPC to the balancer", () => {
    template.hasResourceProperties("AWS::ElasticLoadBalancingV2::LoadBalancer", {
      Scheme: "internal",
      Type: "network",
    });
    template.hasResourceProperties("AWS::ElasticLoadBalancingV2::Listener", { Port: 50_051, Protocol: "TCP" });
    template.resourceCountIs("AWS::EC2::NatGateway", 0);
    const groups = Object.values<Any>(template.findResources("AWS::EC2::SecurityGroup"));
    for (const { Properties } of groups)
      for (const { CidrIp } of Properties.SecurityGroupIngress ?? []) expect(CidrIp).not.toBe("0.0.0.0/0");
    const rules = Object.values<Any>(template.findResources("AWS::EC2::SecurityGroupIngress"));
    expect(rules.map(({ Properties }) => Properties.FromPort).toSorted()).toEqual([50_051, 50_051, 50_052, 50_052]);
    for (const { Properties } of rules) expect(Properties.SourceSecurityGroupId).toBeDefined();
  });

  it("has names inside the network that lead to the tasks", () => {
    template.hasResourceProperties("AWS::ServiceDiscovery::PrivateDnsNamespace", { Name: "sluice-prod.internal" });
    for (const Name of ["learner", "actor"])
      template.hasResourceProperties("AWS::ServiceDiscovery::Service", {
        Name,
        DnsConfig: Match.objectLike({ DnsRecords: [{ TTL: 10, Type: "A" }] }),
      });
    const services = Object.values<Any>(template.findResources("AWS::ECS::Service"));
    for (const { Properties } of services) expect(Properties.ServiceRegistries).toHaveLength(1);
  });

  it("keeps S3 and DynamoDB off the internet, and drains before Fargate kills", () => {
    template.resourceCountIs("AWS::EC2::VPCEndpoint", 2);
    const targets = Object.values<Any>(template.findResources("AWS::ElasticLoadBalancingV2::TargetGroup"));
    expect(targets).toHaveLength(2);
    for (const { Properties } of targets) {
      const delay = Properties.TargetGroupAttributes.find(({ Key }: Any) => Key.startsWith("deregistration_delay"));
      expect(Number(delay.Value)).toBeLessThan(120);
    }
  });

  it("alarms when tasks are missing or short of memory", () => {
    for (const Threshold of [1, 2])
      template.hasResourceProperties("AWS::CloudWatch::Alarm", { Threshold, MetricName: "HealthyHostCount" });
    const memory = { MetricName: "MemoryUtilization", Threshold: 85 };
    expect(Object.keys(template.findResources("AWS::CloudWatch::Alarm", { Properties: memory }))).toHaveLength(2);
  });

  it("puts into an image what the program needs, and its Dockerfile", () => {
    const images = Object.values<Any>(
      JSON.parse(readFileSync(join(folder, "Sluice.assets.json"), "utf8")).dockerImages,
    );
    expect(images.map(({ source }) => source.dockerFile).toSorted()).toEqual([
      "containers/actor/Dockerfile",
      "containers/learner/Dockerfile",
    ]);
    for (const { source } of images) {
      const asset = join(folder, source.directory);
      for (const part of [
        source.dockerFile,
        "containers/grpc/program.ts",
        "functions/runs/run-log.ts",
        "proto",
        "package-lock.json",
      ])
        expect([part, existsSync(join(asset, part))]).toEqual([part, true]);
      for (const part of ["node_modules", "test", ".git"])
        expect([part, existsSync(join(asset, part))]).toEqual([part, false]);
    }
  });

  it("gives each program its own files only", () => {
    const statements = (id: string): Any[] => {
      const roles = Object.entries<Any>(template.findResources("AWS::IAM::Role"));
      const [, role] = roles.find(([logicalId]) => logicalId.startsWith(`ActorLearnerTasks${id}Role`)) as [string, Any];
      return role.Properties.Policies.flatMap(({ PolicyDocument }: Any) => PolicyDocument.Statement);
    };
    const writing = (id: string) =>
      statements(id)
        .filter(({ Action }) => [Action].flat().includes("s3:PutObject"))
        .map(({ Resource }) => JSON.stringify(Resource));
    expect(writing("Learner").join()).not.toContain("/parameters/");
    expect(writing("Actor").join()).not.toContain("/segments/");
    expect(JSON.stringify(statements("Learner"))).not.toMatch(/"kms:Sign"|states:|CFG#|SSH#/);
  });
});

it("is public with a certificate, over TLS only", () => {
  const actorLearnerCertificate = "arn:aws:acm:us-east-1:000000000000:certificate/one";
  const { template } = synthesised("prod", { actorLearner: "1", actorLearnerCertificate });
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::LoadBalancer", { Scheme: "internet-facing" });
  const listeners = Object.values<Any>(template.findResources("AWS::ElasticLoadBalancingV2::Listener"));
  expect(listeners.map(({ Properties }) => [Properties.Port, Properties.Protocol, Properties.AlpnPolicy])).toEqual([
    [50_051, "TLS", ["HTTP2Only"]],
    [50_052, "TLS", ["HTTP2Only"]],
  ]);
});

it("refuses a count that is none", () => {
  expect(() => synthesised("prod", { actorLearner: "many" })).toThrow(/actorLearner "many"/);
});
