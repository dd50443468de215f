import { AwsError } from "../service.ts";

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const dayMilliseconds = 24 * 60 * 60 * 1000;
const yearMax = 2199;
const units: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: dayMilliseconds };

/** When a rule is due next after a time, in epoch milliseconds; null when never again. */
export type Timetable = (after: number) => number | null;

/**
 * Reads `rate(5 minutes)` or `cron(0 12 ? * MON-FRI *)` as EventBridge defines them, in UTC.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @throws AwsError ValidationException
 */
export function readTimetable(expression: string): Timetable {
  const rate = /^rate\((\d+) (minute|hour|day)(s?)\)$/.exec(expression);
  if (rate) {
    const [, value, unit, plural] = rate as unknown as [string, string, string, string];
    if (Number(value) < 1 || (value === "1") !== (plural === "")) throw invalid();
    return (after) => after + Number(value) * (units[unit] as number);
  }
  const fields = /^cron\((.+)\)$/.exec(expression)?.[1]?.split(" ");
  if (fields?.length !== 6) throw invalid();
  return cron(fields as [string, string, string, string, string, string]);
}

const invalid = () => new AwsError("ValidationException", "Parameter ScheduleExpression is not valid.");

type DayTest = (day: Date) => boolean;

function cron(fields: [string, string, string, string, string, string]): Timetable {
  const minutes = [...valuesOf(fields[0], 0, 59)];
  const hours = [...valuesOf(fields[1], 0, 23)];
  const inMonth = valuesOf(fields[3], 1, 12, months);
  const inYear = valuesOf(fields[5], 1970, yearMax);
  // One of the two says which days, the other says "?": EventBridge takes no other combination.
  if ((fields[2] === "?") === (fields[4] === "?")) throw invalid();
  const onDay = fields[2] === "?" ? daysOfWeek(fields[4]) : daysOfMonth(fields[2]);
  return (after) => {
    for (let day = new Date(after - (after % dayMilliseconds)); ; day = new Date(day.getTime() + dayMilliseconds)) {
      const year = day.getUTCFullYear();
      if (year > yearMax) return null;
      if (!inYear.has(year) || !inMonth.has(day.getUTCMonth() + 1) || !onDay(day)) continue;
      for (const hour of hours) {
        for (const minute of minutes) {
          const at = day.getTime() + (hour * 60 + minute) * 60_000;
          if (at > after) return at;
        }
      }
    }
  };
}

/** The values of a field in ascending order: `*`, `5`, `1-5`, `MON-FRI`, `0/15`, `10-40/10`, and lists of those. */
function valuesOf(field: string, min: number, max: number, names: readonly string[] = []): Set<number> {
  const number = (text: string): number => {
    const named = names.indexOf(text.toUpperCase());
    const value = named >= 0 ? named + min : /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw invalid();
    return value;
  };
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [span = "", step, ...more] = part.split("/");
    const [first = "", last, ...rest] = span.split("-");
    if (more.length > 0 || rest.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) throw invalid();
    const from = span === "*" ? min : number(first);
    const to = last !== undefined ? number(last) : span === "*" || step !== undefined ? max : from;
    if (from > to) throw invalid();
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return new Set([...values].sort((a, b) => a - b));
}

/** `L` is the last day of the month, `LW` its last weekday, `15W` the weekday nearest to the 15th within the month. */
function daysOfMonth(field: string): DayTest {
  if (field === "L") return (day) => day.getUTCDate() === lastOf(day);
  if (field === "LW") return (day) => day.getUTCDate() === nearestWeekday(day, lastOf(day));
  const near = /^(\d{1,2})W$/.exec(field)?.[1];
  if (near) {
    const [wanted = 0] = valuesOf(near, 1, 31);
    return (day) => wanted <= lastOf(day) && day.getUTCDate() === nearestWeekday(day, wanted);
  }
  const days = valuesOf(field, 1, 31);
  return (day) => days.has(day.getUTCDate());
}

/** 1 or SUN to 7 or SAT; `L` is Saturday, `6L` the last Friday of the month, `3#2` its second Tuesday. */
function daysOfWeek(field: string): DayTest {
  const last = /^(\w+)L$/.exec(field)?.[1];
  if (last !== undefined) {
    const [wanted] = valuesOf(last, 1, 7, weekdays);
    return (day) => day.getUTCDay() + 1 === wanted && day.getUTCDate() > lastOf(day) - 7;
  }
  const nth = /^(\w+)#([1-5])$/.exec(field);
  if (nth) {
    const [wanted] = valuesOf(nth[1] as string, 1, 7, weekdays);
    return (day) => day.getUTCDay() + 1 === wanted && Math.ceil(day.getUTCDate() / 7) === Number(nth[2]);
  }
  const days = field === "L" ? new Set([7]) : valuesOf(field, 1, 7, weekdays);
  return (day) => days.has(day.getUTCDay() + 1);
}

const lastOf = (day: Date): number => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();

function nearestWeekday(day: Date, date: number): number {
  const weekday = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), date)).getUTCDay();
  if (weekday === 6) return date > 1 ? date - 1 : date + 2;
  if (weekday === 0) return date < lastOf(day) ? date + 1 : date - 2;
  return date;
}
