import { CannotScan } from "../scan/cannot-scan.ts";
import { travelsInClear } from "../scan/connect.ts";
import { write } from "../scan/deliver.ts";
import { environmentLanguage } from "../scan/options.ts";
import { printable, printableLines } from "../scan/printable.ts";
import type { Output } from "../scan/progress.ts";
import { sayIn } from "../scan/texts.ts";
import { Transport } from "../scan/transport.ts";
import { help } from "./help.ts";
import { LogClient } from "./log-client.ts";
import { type LogOptions, readLogOptions } from "./options.ts";
import { verify } from "./verify.ts";

/** What the command has of its surroundings. */
export interface LogIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

export const exitCodes = { fine: 0, damaged: 1, cannotLook: 2, interrupted: 130 } as const;

type Command = (client: LogClient, options: LogOptions, print: (line: object) => Promise<void>) => Promise<number>;

/** `npm run log`: lists, prints or checks runs of a service. @returns the exit code of the process; never rejects */
export async function runLog(argv: readonly string[], io: LogIo): Promise<number> {
  const say = sayIn(environmentLanguage(io.env));
  try {
    const options = readLogOptions(argv, io.env);
    if (options === null) {
      await write(io.stdout, help[environmentLanguage(io.env)]);
      return exitCodes.fine;
    }
    const { url, token } = options.service;
    if (travelsInClear(url)) await write(io.stderr, `${say("token_in_clear", { host: new URL(url).host })}\n`);
    const client = new LogClient(new Transport(url, token, options.language), options.language, io.signal);
    // The service may be anybody's: what drives a terminal is escaped, which JSON reads as the same text.
    return await programs[options.command](client, options, (line) =>
      write(io.stdout, `${printable(JSON.stringify(line))}\n`),
    );
  } catch (error) {
    if (io.signal.aborted) return exitCodes.interrupted;
    const reason =
      error instanceof CannotScan ? error.sentence(say) : printableLines((error as Error).stack ?? String(error));
    await write(io.stderr, `${reason}\n`);
    return exitCodes.cannotLook;
  }
}

const programs: Readonly<Record<LogOptions["command"], Command>> = {
  async ls(client, { run }, print) {
    if (run !== null) await print(await client.run(run));
    else for await (const one of client.runs()) await print(one);
    return exitCodes.fine;
  },

  async cat(client, options, print) {
    const run = await client.run(options.run as string);
    const from = options.from ?? run.first_offset;
    let isWhole = true;
    const to = Math.min(run.next_offset, from + options.limit);
    for await (const page of client.pages(run.id, { from, to, data: options.data })) {
      for (const { payload, ...item } of page.items) await print(options.data ? { ...item, payload } : item);
      if (page.damaged) await print({ damaged: page.damaged });
      isWhole &&= page.damaged === null;
    }
    return isWhole ? exitCodes.fine : exitCodes.damaged;
  },

  async verify(client, { run }, print) {
    const found = await verify(client, await client.run(run as string), print);
    await print(found);
    return found.defects === 0 ? exitCodes.fine : exitCodes.damaged;
  },
};
