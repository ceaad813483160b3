// How much work something is for the processor: what a clock on the wall says depends on what else the machine does.

/** The milliseconds of processor time that `work` takes in this process. */
export function effort(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
