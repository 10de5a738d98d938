const mebibyte = 1024 * 1024;

/** Memory of the proxy itself, with what bytes on their way take. Pages of the program that can be read again do not count. */
const baseBytes = 28 * mebibyte;

/** Bytes of a tunnel, those of the kernel among them: measured with open tunnels that have carried 4 KiB, and a fifth more. */
const bytesPerTunnel = { tls: 92 * 1024, sockets: 28 * 1024, handles: 12 * 1024 } as const;

const least = 64;
const most = 5_000;

/**
 * Returns how many tunnels a container holds without being killed for its memory, which would end all of them.
 *
 * @param limitBytes of the container; undefined, 0, or more than any machine has: none
 * @param kind what serves the clients
 */
export function tunnelsFor(limitBytes: number | undefined, kind: keyof typeof bytesPerTunnel): number {
  if (limitBytes === undefined || limitBytes === 0) return most;
  const fitting = Math.floor((limitBytes - baseBytes) / bytesPerTunnel[kind]);
  return Math.min(most, Math.max(least, fitting));
}
