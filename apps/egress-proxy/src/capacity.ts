const mebibyte = 1024 * 1024;

/** Memory of the proxy itself, including buffers. Pages of the program that can be read again do not count. */
const baseBytes = 28 * mebibyte;

/**
 * Bytes per tunnel. A container survives when it is full of tunnels that have carried much data and whose readers all stop. Most of the
 * bytes of a tunnel with TLS are buffers of Node.js, which are kept until the connection is closed.
 */
const bytesPerTunnel = { tls: 288 * 1024, sockets: 160 * 1024, handles: 36 * 1024 } as const;

/** Part of the memory that may hold bytes for slow readers before tunnels are reset. */
const heldPart = 1 / 4;

/** Descriptors for the program, its probes, responses to refused connections, and further addresses of targets. */
const baseDescriptors = 200;
const descriptorsPerTunnel = 2;

const least = 64;
const most = 5_000;
const mostHeld = 256 * mebibyte;

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

/**
 * Returns how many tunnels a process can hold while it can still accept other connections, such as those of its probes.
 *
 * @param limit maximum number of open files and sockets; undefined if there is none
 */
export function tunnelsForDescriptors(limit = Infinity): number {
  return Math.max(1, Math.floor((limit - baseDescriptors) / descriptorsPerTunnel));
}

/**
 * Returns how many bytes a container can hold for slow readers.
 *
 * @param limitBytes memory limit of the container; undefined, 0 or an implausibly large number if there is none
 */
export function heldBytesFor(limitBytes: number | undefined): number {
  return Math.min(mostHeld, (limitBytes || mostHeld / heldPart) * heldPart);
}
