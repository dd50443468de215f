import { SingleBar } from "cli-progress";
import type { Fields, Say, TextKey } from "./texts.ts";

/** Where a command writes: a terminal or not. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Shows how far a run is. */
export interface Progress {
  /** Begins the next stage. */
  stage(key: TextKey, fields?: Fields): void;
  /** How far the stage is, in files. */
  advance(done: number, total: number): void;
  /** Takes the display away. */
  stop(): void;
}

/** On a terminal one line that moves and vanishes at the end, elsewhere a plain line for each stage. */
export const createProgress = (stream: Output, say: Say): Progress =>
  stream.isTTY ? movingLine(stream, say) : plainLines(stream, say);

function plainLines(stream: Output, say: Say): Progress {
  let current = "";
  return {
    stage: (key, fields) => {
      const line = say(key, fields);
      if (line !== current) stream.write(`${line} ...\n`);
      current = line;
    },
    advance: () => {},
    stop: () => {},
  };
}

const barCells = 30;

function movingLine(stream: Output, say: Say): Progress {
  let label = "";
  const bar = new SingleBar({
    stream,
    clearOnComplete: true,
    // The terminal keeps its settings, for a run that is killed cannot give them back. Signals are the command's own business.
    hideCursor: false,
    linewrap: null,
    gracefulExit: false,
    barsize: barCells,
    barCompleteChar: "━",
    barIncompleteChar: "─",
    format: (options, { progress, value, total }) => {
      if (total === 0) return `${label} ...`;
      const done = Math.round(progress * barCells);
      const drawn =
        options.barCompleteString?.slice(0, done) + (options.barIncompleteString ?? "").slice(0, barCells - done);
      return `${label} ${drawn} ${value}/${total}`;
    },
  });
  return {
    stage: (key, fields) => {
      label = say(key, fields);
      bar.start(0, 0);
    },
    advance: (done, total) => {
      bar.setTotal(total);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}
