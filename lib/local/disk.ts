/**
 * Whether a write waits until the disk has it. What is written survives the death of a process either way, but a power cut only after the
 * wait. Tests kill processes and cut no power: `SLUICE_DISK_SYNC=off` spares them tens of thousands of waits, which are most of their time on
 * a disk that is slow to flush.
 */
export const waitsForDisk = process.env.SLUICE_DISK_SYNC !== "off";
