import { CfnOutput, Duration } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import * as ec2 from "aws-cdk-lib/aws-ec2";
import * as ecs from "aws-cdk-lib/aws-ecs";
import * as elb from "aws-cdk-lib/aws-elasticloadbalancingv2";
import * as cloudmap from "aws-cdk-lib/aws-servicediscovery";
import { Construct } from "constructs";
import { type ActorLearnerTasks, type ProgramName, ports } from "./actor-learner-tasks.ts";

export interface ActorLearnerServicesProps {
  readonly stage: string;
  readonly tasks: ActorLearnerTasks;
  /** Actor tasks at least; there is always one learner. From 1. */
  readonly count: number;
  /** ARN of an ACM certificate: the balancer then is public and speaks TLS. @default internal, plaintext inside the VPC */
  readonly certificateArn?: string;
}

/** How many times the least number of actor tasks there may be. */
const growth = 4;
/** The programs send their clients away by themselves when they go down, and a new learner gets a run only when the old one lets go of it. */
const deregistrationSeconds = 10;
/** The programs ask a silent connection every 30 s whether it lives; this is well above and well below what NAT gateways allow. */
const idleSeconds = 350;
/** For how long a name may lead to a task that is gone. */
const nameSeconds = 10;

/**
 * The learner and the actor on Fargate behind one network load balancer. All of it costs money while it stands, about 16 $ a month for the balancer
 * alone, so a stack that wants none of it has none of it.
 *
 * Tasks have public addresses in public subnets: images and logs are reached without a NAT gateway (32 $ a month) or interface endpoints (7 $ each and
 * zone). Nobody but the balancer and who is in the clients' group may connect to them. S3 and DynamoDB, where all data goes, are reached by gateway endpoints, which are free.
 */
export class ActorLearnerServices extends Construct {
  readonly #props: ActorLearnerServicesProps;
  readonly #cluster: ecs.Cluster;
  readonly #balancer: elb.NetworkLoadBalancer;
  readonly #names: cloudmap.PrivateDnsNamespace;
  readonly #clients: ec2.SecurityGroup;

  constructor(scope: Construct, id: string, props: ActorLearnerServicesProps) {
    super(scope, id);
    this.#props = props;
    const vpc = new ec2.Vpc(this, "Vpc", {
      natGateways: 0,
      subnetConfiguration: [{ name: "Public", subnetType: ec2.SubnetType.PUBLIC }],
      gatewayEndpoints: {
        S3: { service: ec2.GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: ec2.GatewayVpcEndpointAwsService.DYNAMODB },
      },
      // The group that everything without one falls into lets nothing through only with a function of CDK; here everything has one.
      restrictDefaultSecurityGroup: false,
    });
    this.#cluster = new ecs.Cluster(this, "Cluster", { vpc });
    const isPublic = props.certificateArn !== undefined;
    const securityGroup = new ec2.SecurityGroup(this, "BalancerGroup", { vpc, allowAllOutbound: false });
    const from = isPublic ? ec2.Peer.anyIpv4() : ec2.Peer.ipv4(vpc.vpcCidrBlock);
    for (const port of Object.values(ports)) securityGroup.addIngressRule(from, ec2.Port.tcp(port));
    this.#balancer = new elb.NetworkLoadBalancer(this, "Balancer", {
      vpc,
      internetFacing: isPublic,
      vpcSubnets: { subnetType: ec2.SubnetType.PUBLIC },
      securityGroups: [securityGroup],
      crossZoneEnabled: true,
    });
    // A trainer in the same network needs no balancer: names lead to the tasks themselves, and whoever is in the group may call them.
    this.#names = new cloudmap.PrivateDnsNamespace(this, "Names", { name: `sluice-${props.stage}.internal`, vpc });
    this.#clients = new ec2.SecurityGroup(this, "Clients", { vpc, description: "May call the learner and the actor" });
    // One task at a time owns a run, so a second learner would only send half of the producers away.
    this.#service("learner", "Learner", 1);
    const actor = this.#service("actor", "Actor", props.count);
    actor
      .autoScaleTaskCount({ minCapacity: props.count, maxCapacity: props.count * growth })
      .scaleOnCpuUtilization("Cpu", { targetUtilizationPercent: 60 });
    new CfnOutput(this, "ClientsGroup", { key: "ActorLearnerClients", value: this.#clients.securityGroupId });
    new CfnOutput(this, "Address", { key: "ActorLearnerAddress", value: this.#balancer.loadBalancerDnsName });
  }

  #service(name: ProgramName, id: string, desiredCount: number): ecs.FargateService {
    const { vpc } = this.#cluster;
    const port = ports[name];
    const securityGroup = new ec2.SecurityGroup(this, `${id}Group`, { vpc });
    for (const peer of [this.#balancer, this.#clients]) securityGroup.connections.allowFrom(peer, ec2.Port.tcp(port));
    const service = new ecs.FargateService(this, id, {
      cluster: this.#cluster,
      taskDefinition: this.#props.tasks[name],
      // A deployment must not undo what autoscaling has found out.
      desiredCount: name === "actor" ? undefined : desiredCount,
      assignPublicIp: true,
      vpcSubnets: { subnetType: ec2.SubnetType.PUBLIC },
      securityGroups: [securityGroup],
      circuitBreaker: { rollback: true },
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      cloudMapOptions: {
        name,
        cloudMapNamespace: this.#names,
        dnsRecordType: cloudmap.DnsRecordType.A,
        dnsTtl: Duration.seconds(nameSeconds),
      },
    });
    const targets = this.#listener(id, port).addTargets(id, {
      protocol: elb.Protocol.TCP,
      port,
      targets: [service.loadBalancerTarget({ containerName: name, containerPort: port })],
      deregistrationDelay: Duration.seconds(deregistrationSeconds),
      // That it accepts connections, and no more: a task that says NOT_SERVING because S3 fails is not helped by replacing it.
      healthCheck: { protocol: elb.Protocol.TCP, interval: Duration.seconds(10), healthyThresholdCount: 2 },
    });
    this.#alarms(id, service, targets, desiredCount);
    return service;
  }

  #listener(id: string, port: number): elb.NetworkListener {
    const { certificateArn } = this.#props;
    // An idle timeout can be set for TCP only; with TLS it is 350 s anyway.
    if (!certificateArn) return this.#balancer.addListener(id, { port, tcpIdleTimeout: Duration.seconds(idleSeconds) });
    return this.#balancer.addListener(id, {
      port,
      protocol: elb.Protocol.TLS,
      certificates: [elb.ListenerCertificate.fromArn(certificateArn)],
      sslPolicy: elb.SslPolicy.RECOMMENDED_TLS,
      // gRPC clients insist on h2.
      alpnPolicy: elb.AlpnPolicy.HTTP2_ONLY,
    });
  }

  #alarms(id: string, service: ecs.FargateService, targets: elb.NetworkTargetGroup, count: number): void {
    new cloudwatch.Alarm(this, `${id}Missing`, {
      alarmDescription: `Sluice: fewer ${id.toLowerCase()} tasks answer than there should be`,
      metric: targets.metrics.healthyHostCount({ statistic: "Minimum", period: Duration.minutes(1) }),
      comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: count,
      evaluationPeriods: 5,
      treatMissingData: cloudwatch.TreatMissingData.BREACHING,
    });
    new cloudwatch.Alarm(this, `${id}Memory`, {
      alarmDescription: `Sluice: a ${id.toLowerCase()} task is short of memory`,
      metric: service.metricMemoryUtilization({ statistic: "Maximum", period: Duration.minutes(1) }),
      threshold: 85,
      evaluationPeriods: 5,
    });
  }
}
