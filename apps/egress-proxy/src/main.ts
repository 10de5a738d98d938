import { aborted, systemClock } from '@interlock/base';
import { parseFlags, UsageError } from '@interlock/service/flags';
import { startProxy, version } from './app.js';
import { jsonLogger } from './audit/logger.js';
import { auditTo } from './audit/audit.js';
import { LineWriter } from './audit/line-writer.js';
import { descriptorLimit } from './descriptors.js';
import { proxyFlags, type ProxyFlags } from './flags.js';
import { chooseEngine } from './relay/choose.js';

const name = 'egress-proxy';
const standardOutput = 1;

/** Runs the proxy until the process receives a signal. Returns the exit code. */
async function run(flags: ProxyFlags): Promise<number> {
  /* This comes first: process 1 of a container ignores signals without a handler. */
  const asked = new AbortController();
  const hurry = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => (asked.signal.aborted ? hurry : asked).abort());
  }
  const clock = systemClock;
  const writer = new LineWriter(process.stdout, clock);
  process.stdout.on('error', () => undefined);
  process.on('exit', () => writer.flushNow(standardOutput));
  const fields = { component: name, ...(flags.tenant !== '' && { tenant: flags.tenant }) };
  const log = jsonLogger({ writer, clock, level: flags.logLevel, fields });
  const audit = auditTo({ writer, clock, fields });
  const isTls = flags.tlsCertFile !== '';
  const engine = await chooseEngine({ choice: flags.relay, isTls, clock, log });
  const memoryLimit = process.constrainedMemory();
  const droppedLines = (): number => writer.dropped;
  const proxy = await startProxy({
    ...{ flags, log, engine, audit, clock, memoryLimit, droppedLines },
    descriptorLimit: descriptorLimit(),
  });
  const { port, healthPort, limits } = proxy;
  const maxTunnels = isTls
    ? { maxTunnels: limits.max, maxTlsTunnels: limits.maxTls }
    : { maxTunnels: limits.max };
  log.info({ port, healthPort, relay: engine.name, version, isTls, ...maxTunnels }, 'started');
  await aborted(asked.signal);
  log.info({}, 'draining');
  const isComplete = await proxy.drain(hurry.signal);
  log.info({ isComplete }, 'stopped');
  await writer.finish();
  return hurry.signal.aborted ? 1 : 0;
}

try {
  const description =
    'Relays CONNECT tunnels from the pods of one tenant to the hosts that the tenant may reach.';
  const definition = { name, description, version, flags: proxyFlags };
  const parsed = parseFlags(definition, process.argv.slice(2), process.env);
  if ('text' in parsed) process.stdout.write(parsed.text);
  else process.exit(await run(parsed.values));
} catch (error) {
  const message = error instanceof UsageError ? error.message : String((error as Error).stack);
  process.stderr.write(`${name}: ${message}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
