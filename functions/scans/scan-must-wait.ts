/** Running scans of one owner's projects; others stay pending until one of them ends. */
export const runningTasksMax = 3;

/** As many scans of the owner run as may. The workflow asks again; its states name this error. */
export class ScanMustWait extends Error {
  constructor() {
    super(`${runningTasksMax} scans of the owner are running`);
    this.name = "ScanMustWait";
  }
}
