import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const agent = fileURLToPath(new URL('agent.mjs', import.meta.url));
export type Protocol = 'TCP' | 'UDP';

/** Returns why network namespaces cannot be used on this machine, or undefined if they can. */
export function whyNoNetwork(): string | undefined {
  const works = (...command: string[]): boolean =>
    spawnSync('unshare', ['--net', ...command], { timeout: 10_000 }).status === 0;
  if (!works('true')) return 'this user cannot create network namespaces';
  if (!works('ip', 'link')) return 'the program ip is not on this machine';
  return works('nft', 'list', 'ruleset') ? undefined : 'the program nft is not on this machine';
}

/** A network namespace. It exists as long as its process, which ends when this process closes its standard input. */
export class Host {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers = new Map<number, (answer: { result?: unknown; error?: string }) => void>();
  #count = 0;

  constructor(
    readonly name: string,
    readonly addresses: readonly string[],
  ) {
    const command = ['--net', process.execPath, agent];
    this.#process = spawn('unshare', command, { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const { id, ...answer } = JSON.parse(line) as { id: number; result?: unknown; error?: string };
      this.#answers.get(id)?.(answer);
      this.#answers.delete(id);
    });
    this.#process.once('exit', () => {
      for (const answer of this.#answers.values()) answer({ error: `the namespace ${name} has ended` });
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Runs a program in the namespace. @throws Error with its output when it fails */
  async run(command: readonly string[], input?: string): Promise<void> {
    await this.#ask({ operation: 'run', command, input });
  }

  /** Starts an echo server on a port of every address. */
  async listen(port: number, protocol: Protocol = 'TCP'): Promise<void> {
    await this.#ask({ operation: 'listen', port, protocol, addresses: this.addresses });
  }

  /** Relays each connection to a port to another address. */
  async relay(port: number, host: string, to: number): Promise<void> {
    await this.#ask({ operation: 'relay', port, host, to });
  }

  /** Returns `open` if a server answers, otherwise the code of the error. */
  async reach(host: string, port: number, protocol: Protocol = 'TCP'): Promise<string> {
    return String(await this.#ask({ operation: 'reach', host, port, protocol }));
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }

  async #ask(request: object): Promise<unknown> {
    const id = this.#count++;
    const answered = new Promise<{ result?: unknown; error?: string }>((resolve) =>
      this.#answers.set(id, resolve),
    );
    this.#process.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${this.name}: ${error}`);
    return result;
  }
}

/**
 * Hosts that are connected by a bridge in a separate namespace. The network has no route to the outside, and it disappears when its
 * processes end.
 */
export class Network {
  readonly #switch = new Host('switch', []);
  readonly #hosts: Host[] = [];

  static async start(): Promise<Network> {
    const network = new Network();
    await network.#switch.run(['ip', 'link', 'add', 'bridge', 'type', 'bridge']);
    await network.#switch.run(['ip', 'link', 'set', 'bridge', 'up']);
    return network;
  }

  /** Adds a host that reaches all others. */
  async add(name: string, ...addresses: string[]): Promise<Host> {
    const host = new Host(name, addresses);
    const port = `port${this.#hosts.push(host)}`;
    const ip = (...args: string[]) => host.run(['ip', ...args]);
    /* It answers as soon as it is in its namespace, so that the other end of the link can be moved there. */
    await ip('link', 'set', 'lo', 'up');
    const cable = ['link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(host.pid)];
    await this.#switch.run(['ip', ...cable]);
    await this.#switch.run(['ip', 'link', 'set', port, 'master', 'bridge', 'up']);
    await ip('link', 'set', 'eth0', 'up');
    for (const address of addresses)
      await (isIPv6(address)
        ? ip('addr', 'add', `${address}/128`, 'dev', 'eth0', 'nodad')
        : ip('addr', 'add', `${address}/32`, 'dev', 'eth0'));
    await ip('route', 'add', 'default', 'dev', 'eth0');
    await ip('-6', 'route', 'add', 'default', 'dev', 'eth0');
    return host;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hosts, this.#switch].map((host) => host.close()));
  }
}

/** Returns whether an address or a network is IPv6. */
export function isIPv6(address: string): boolean {
  return address.includes(':');
}
