import { randomUUID } from "node:crypto";
import { readTimetable, type Timetable } from "./schedule/cron.ts";
import { type EventTest, readEventPattern } from "./schedule/event-pattern.ts";
import { localAccount } from "./service.ts";
import { Cancellation } from "./states/cancellation.ts";
import { Clock, type ClockProps } from "./states/clock.ts";

export interface ScheduleProps extends ClockProps {
  /** Calls a target; rejects when it failed. `roleArn` is the role that the rule acts as, if it names one. */
  readonly invoke: (targetArn: string, event: object, roleArn?: string) => Promise<void>;
}

export interface RuleTarget {
  readonly arn: string;
  /** Given to the target in place of the event. */
  readonly input?: unknown;
  readonly roleArn?: string;
}

export interface RuleProps {
  readonly name: string;
  /** rate() or cron(), UTC. */
  readonly scheduleExpression?: string;
  readonly eventPattern?: object;
  readonly targets: readonly RuleTarget[];
}

interface Rule {
  readonly name: string;
  readonly timetable: Timetable | undefined;
  readonly matches: EventTest;
  readonly targets: readonly RuleTarget[];
  /** Ends when the rule is replaced or the schedule stops. */
  scope: Cancellation | undefined;
}

/** A failed asynchronous invocation is repeated twice, after one and after two more minutes, as Lambda does it. */
const retryDelays = [60_000, 120_000];

/**
 * The embedded EventBridge: rules that fire by the clock or for matching events. Delivery is at least once while the
 * process lives; a rate counts from `start`, and what was due while nothing ran is not made up for.
 */
export class Schedule {
  readonly #invoke: ScheduleProps["invoke"];
  readonly #clock: Clock;
  readonly #rules = new Map<string, Rule>();
  readonly #deliveries = new Set<Promise<void>>();
  #running: Cancellation | undefined;

  constructor(props: ScheduleProps) {
    this.#invoke = props.invoke;
    this.#clock = new Clock(props);
  }

  /**
   * Creates or replaces a rule.
   * @throws AwsError ValidationException, InvalidEventPatternException
   */
  ensureRule({ name, scheduleExpression, eventPattern, targets }: RuleProps): void {
    const timetable = scheduleExpression === undefined ? undefined : readTimetable(scheduleExpression);
    const matches = eventPattern === undefined ? () => false : readEventPattern(eventPattern);
    this.#rules.get(name)?.scope?.cancel();
    const rule: Rule = { name, timetable, matches, targets, scope: undefined };
    this.#rules.set(name, rule);
    if (this.#running) this.#arm(rule, this.#running);
  }

  /** Hands an event to the targets of every rule that it matches. */
  put(event: object): void {
    const scope = this.#running;
    if (!scope) return;
    for (const rule of this.#rules.values()) if (rule.matches(event)) this.#deliver(rule, event, scope);
  }

  /** From here on rules fire. */
  start(): void {
    if (this.#running) return;
    this.#running = new Cancellation();
    for (const rule of this.#rules.values()) this.#arm(rule, this.#running);
  }

  /** Fires no more rules and waits for the invocations that are under way. */
  async stop(): Promise<void> {
    this.#running?.cancel();
    this.#running = undefined;
    await Promise.all(this.#deliveries);
  }

  #arm(rule: Rule, running: Cancellation): void {
    if (!rule.timetable) return;
    rule.scope = running.child();
    this.#tick(rule, rule.timetable, rule.scope, running).catch(() => {});
  }

  /** Rejects with Cancelled when the rule is replaced or the schedule stops. */
  async #tick(rule: Rule, timetable: Timetable, scope: Cancellation, running: Cancellation): Promise<void> {
    for (;;) {
      // From now and not from the last time: after a suspended machine wakes up, a rule fires once and not a hundred times.
      const due = timetable(this.#clock.now());
      if (due === null) return;
      await this.#clock.until(due, scope);
      this.#deliver(rule, scheduledEvent(rule.name, due), running);
    }
  }

  #deliver(rule: Rule, event: object, scope: Cancellation): void {
    for (const target of rule.targets) {
      const delivery = this.#attempt(rule, target, event, scope).finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
    }
  }

  async #attempt(rule: Rule, { arn, input, roleArn }: RuleTarget, event: object, scope: Cancellation): Promise<void> {
    const payload = input === undefined ? event : (input as object);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#invoke(arn, payload, roleArn);
      } catch (error) {
        const delay = retryDelays[attempt];
        if (delay === undefined || scope.cancelled) {
          console.error(`embedded cloud: rule ${rule.name} could not invoke ${arn}:`, error);
          return;
        }
        const again = await this.#clock.until(this.#clock.now() + delay, scope).then(
          () => true,
          () => false,
        );
        if (!again) return;
      }
    }
  }
}

const scheduledEvent = (rule: string, due: number): object => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: localAccount.account,
  time: `${new Date(due).toISOString().slice(0, 19)}Z`,
  region: localAccount.region,
  resources: [`arn:aws:events:${localAccount.region}:${localAccount.account}:rule/${rule}`],
  detail: {},
});
