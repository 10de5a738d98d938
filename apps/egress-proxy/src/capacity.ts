const mebibyte = 1024 * 1024;

/** Memory of the proxy itself, including buffers. Pages of the program that can be read again do not count. */
const baseBytes = 28 * mebibyte;

/** Bytes per tunnel, including the memory of the kernel: measured with open tunnels that have carried 4 KiB, plus a fifth. */
const bytesPerTunnel = { tls: 92 * 1024, sockets: 28 * 1024, handles: 12 * 1024 } as const;

const least = 64;
const most = 5_000;

/**
 * Returns how many tunnels a container can hold without exceeding its memory limit, which would end all of them.
 *
 * @param limitBytes memory limit of the container; undefined, 0 or an implausibly large number if there is none
 * @param kind the engine that serves the clients, or `tls`
 */
export function tunnelsFor(limitBytes: number | undefined, kind: keyof typeof bytesPerTunnel): number {
  if (limitBytes === undefined || limitBytes === 0) return most;
  const fitting = Math.floor((limitBytes - baseBytes) / bytesPerTunnel[kind]);
  return Math.min(most, Math.max(least, fitting));
}
