import { connect } from 'node:tls';

/** A pod of an egress proxy. */
export interface ProxyPod {
  address: string;
  /** The name in its certificate. */
  serviceName: string;
  /** The authority of its certificate, in PEM. */
  ca: string;
}

/** The response of a proxy to a request for a tunnel. */
export interface TunnelAnswer {
  status: number;
  /** The reason of a refusal. */
  reason?: string | undefined;
}

const proxyPort = 8080;
const timeoutMs = 15_000;
const maxHeadBytes = 8192;

/**
 * Requests a tunnel to `host:port` from a proxy, and closes it. @throws Error when the proxy does not answer or has
 * another certificate
 */
export function askProxy({ address, serviceName, ca }: ProxyPod, target: string): Promise<TunnelAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: proxyPort, servername: serviceName, ca });
    let head = '';
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(`request to the proxy at ${address} for ${target}: ${why}`));
    };
    socket.setTimeout(timeoutMs, () => fail('no answer in time'));
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => fail('the proxy closed the connection'));
    socket.once('secureConnect', () => socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`));
    socket.on('data', (chunk: Buffer) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) {
        if (head.length > maxHeadBytes) fail('the answer is too long');
        return;
      }
      socket.destroy();
      resolve(parseAnswer(head));
    });
  });
}

/** Returns the status and the reason in the head of a response. Pure. */
export function parseAnswer(head: string): TunnelAnswer {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
  const [, reason] = /^x-proxy-reason: (\S+)/im.exec(head) ?? [];
  return { status: Number(status ?? 0), reason };
}
