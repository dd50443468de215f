const milliseconds: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** Reads `grpc-timeout`: up to eight digits and a unit. @returns milliseconds, or null when it is none */
export function timeoutMilliseconds(header: string): number | null {
  const unit = milliseconds[header.at(-1) as string];
  return unit !== undefined && /^\d{1,8}.$/.test(header) ? Math.ceil(Number(header.slice(0, -1)) * unit) : null;
}
