import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HttpAnswer } from "./dialect.ts";
import { type FaultKind, type TransportFault, transportFaults } from "./faults.ts";

export const hugeBodyBytes = 50 * 1024 * 1024;
const blank = Buffer.alloc(64 * 1024, " ");

/** Sends an answer, or spoils it on the way when the fault is one of the line. Resolves when nothing more will be sent. */
export async function sendAnswer(
  response: ServerResponse,
  answer: HttpAnswer,
  fault: FaultKind | null,
  slowByteMs: number,
): Promise<void> {
  if (fault === "stall") return;
  const body = Buffer.from(JSON.stringify(answer.body));
  const length = isTransportFault(fault) ? {} : { "content-length": body.length };
  response.writeHead(answer.status, { "content-type": "application/json", ...length, ...answer.headers });
  if (fault === "slow_bytes") return await sendSlowly(response, body, slowByteMs);
  if (fault === "huge_body") return await sendHuge(response, body);
  if (fault === "reset_after_body") return sendAndReset(response, body);
  response.end(body);
}

/** True for faults of the line: such a call lasts as long as its connection. */
export const isTransportFault = (fault: FaultKind | null): fault is TransportFault =>
  (transportFaults as readonly (FaultKind | null)[]).includes(fault);

/** One byte at a time, so that something always arrives: only a deadline for the whole answer helps. */
function sendSlowly(response: ServerResponse, body: Buffer, everyMs: number): Promise<void> {
  return new Promise((resolve) => {
    let sent = 0;
    const timer = setInterval(() => {
      response.write(body.subarray(sent, ++sent));
      if (sent === body.length) response.end();
    }, everyMs);
    response.on("close", () => resolve(clearInterval(timer))).on("finish", () => clearInterval(timer));
  });
}

/** Blanks before the answer: it is valid JSON, for whoever reads it all. */
async function sendHuge(response: ServerResponse, body: Buffer): Promise<void> {
  const blanks = function* () {
    for (let sent = 0; sent < hugeBodyBytes; sent += blank.length) yield blank;
    yield body;
  };
  // Careful clients hang up in between.
  await pipeline(Readable.from(blanks()), response).catch(() => {});
}

/** All of the answer, but no end: the work was done and is charged, and the client cannot know whether it has everything. */
function sendAndReset(response: ServerResponse, body: Buffer): void {
  response.write(body, () => response.socket?.resetAndDestroy());
}
