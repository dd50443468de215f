import { setFlagsFromString } from "node:v8";

/**
 * For a process that moves megabytes. V8 counts buffers as growth of its heap, and would mark all that lives, some 25 MB, for each 24 MB of them: ten
 * times a second at 240 MB/s, a third of the learner's processor time. With this it lets about 75 MB of garbage gather, which the smallest task has
 * room for. Read by V8 at the end of each collection, so it may be set at any time.
 */
export function letBuffersGather(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * For a worker that leaves a file's trees behind with each file. V8 reckons with all the memory that there is, and the worker would fill it: 800 MB
 * for 20 MB of source instead of 360. So the heap is collected when it has grown 30 percent over what is alive, and its young part stays as large as
 * it is now: to be called when all is loaded. Unlike a limit of the heap this never ends a process; it costs up to a sixth of the time.
 */
export function collectEarly(): void {
  setFlagsFromString("--heap-growing-percent=30");
  setFlagsFromString("--semi-space-growth-factor=1");
}
