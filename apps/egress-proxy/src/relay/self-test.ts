import { setImmediate } from 'node:timers/promises';
import { waitFor } from '@interlock/base';
import { ignore, type Connection, type ConnectionHandler } from './connection.js';
import type { RelayEngine } from './engine.js';
import { connectEnds } from './loopback.js';
import { Tunnel, type TunnelEnd } from './tunnel.js';

/* Repeated without a loop in JavaScript, which would load the compiler for a single use. */
const seed = 'A text whose length is a prime number shows what is lost or out of order.';
const unitBytes = 64 * 1024;
/** More than the kernel buffers for two connections by default, so that bytes have to wait. */
const unitsUp = 384;
const unitsDown = 8;
const greeting = Buffer.from('ready');
const early = Buffer.from('early');

/**
 * Tests an engine: relays bytes both ways through a tunnel whose target reads late, ends one half after the other, and resets a
 * second tunnel. It keeps no bytes, because the proxy has little memory.
 *
 * @throws an Error that describes the failure; the signal's reason when it aborts
 */
export async function testEngine(engine: RelayEngine, signal: AbortSignal): Promise<void> {
  const text = new Text();
  for (const check of [checkBytes, checkReset]) {
    const { outerClient, outerTarget, ...inner } = await waitFor(connectEnds(engine, engine), signal);
    const client = new TextPeer(outerClient, text, { prefix: greeting, units: unitsUp });
    const target = new TextPeer(outerTarget, text, { prefix: early, units: unitsDown });
    let end: TunnelEnd | undefined;
    const tunnel = new Tunnel({ ...inner, greeting, early, hasClientEnded: false }, (how) => (end = how));
    try {
      await waitFor(check({ client, target, tunnel, end: () => end }, signal), signal);
    } finally {
      tunnel.cut();
      outerClient.close();
      outerTarget.close();
    }
  }
}

interface TestTunnel {
  readonly client: TextPeer;
  readonly target: TextPeer;
  readonly tunnel: Tunnel;
  readonly end: () => TunnelEnd | undefined;
}

async function checkBytes({ client, target, tunnel, end }: TestTunnel, signal: AbortSignal): Promise<void> {
  client.send();
  while (tunnel.buffered === 0 && !client.isSent) await setImmediate(undefined, { signal });
  target.connection.resume();
  client.connection.resume();
  await target.over('ended');
  target.send();
  await client.over('ended');
  while (end() === undefined) await setImmediate(undefined, { signal });
  const isExact = client.hasText(unitsDown) && target.hasText(unitsUp);
  if (!isExact) throw new Error('a tunnel lost bytes, or changed them');
  if (end() !== 'completed') throw new Error(`a tunnel that was completed ended as ${end()}`);
}

async function checkReset({ client, target, end }: TestTunnel): Promise<void> {
  target.connection.resume();
  client.connection.reset();
  await target.over('broken');
  if (end() !== 'clientReset') throw new Error(`a tunnel that was reset ended as ${end()}`);
}

type Over = 'ended' | 'broken';

/** The text that the peers send. It is released after the test. */
class Text {
  readonly unit = Buffer.alloc(unitBytes, seed);
  /** Long enough to contain every part of the text that is not longer than one unit. */
  readonly #twoUnits = Buffer.concat([this.unit, this.unit]);

  /** Returns whether bytes equal the text at an offset. */
  has(bytes: Buffer, offset: number): boolean {
    const at = offset % unitBytes;
    return bytes.equals(this.#twoUnits.subarray(at, at + bytes.length));
  }
}

/** Sends the text, and checks what it receives. */
class TextPeer implements ConnectionHandler {
  readonly connection: Connection;
  readonly onFinish = ignore;
  readonly #text: Text;
  #unsent: number;
  #received: number;
  readonly #prefix: Buffer;
  #isExact = true;
  #over: Over | undefined;
  #whenOver: (how: Over) => void = ignore;

  constructor(connection: Connection, text: Text, { prefix, units }: { prefix: Buffer; units: number }) {
    this.connection = connection;
    this.#text = text;
    this.#prefix = prefix;
    this.#received = -prefix.length;
    this.#unsent = units;
    connection.handler = this;
  }

  get isSent(): boolean {
    return this.#unsent === 0;
  }

  send(): void {
    while (this.#unsent > 0) {
      this.#unsent -= 1;
      if (!this.connection.write(this.#text.unit)) return;
    }
    this.connection.end();
  }

  /** Returns whether exactly the prefix and the text were received. */
  hasText(units: number): boolean {
    return this.#isExact && this.#received === units * unitBytes;
  }

  /** Resolves when the connection ends as expected: by an end of stream or by a reset. @throws an Error when it ends in the other way */
  async over(expected: Over): Promise<void> {
    const how = this.#over ?? (await new Promise<Over>((resolve) => (this.#whenOver = resolve)));
    if (how !== expected) throw new Error(`a connection was ${how}, not ${expected}`);
  }

  onData(bytes: Buffer): void {
    const start = bytes.subarray(0, Math.max(0, -this.#received));
    const expected = this.#prefix.subarray(this.#prefix.length + Math.min(0, this.#received));
    const rest = bytes.subarray(start.length);
    this.#isExact &&= start.equals(expected.subarray(0, start.length));
    for (let at = 0; at < rest.length; at += unitBytes) {
      const part = rest.subarray(at, at + unitBytes);
      this.#isExact &&= this.#text.has(part, Math.max(0, this.#received) + at);
    }
    this.#received += bytes.length;
  }

  onDrain(): void {
    this.send();
  }

  onEnd(): void {
    this.#report('ended');
  }

  onClosed(isComplete: boolean): void {
    this.#report(isComplete ? 'ended' : 'broken');
  }

  #report(how: Over): void {
    this.#over ??= how;
    this.#whenOver(this.#over);
  }
}
