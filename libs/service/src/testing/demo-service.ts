/* A service for tests, whose behavior is selected by `--scenario`. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressFlag, enumFlag, stringFlag, UsageError } from '../flags/index.js';
import { runService } from '../service.js';

const scenarios = [
  'serve',
  'finish',
  'fail',
  'refuse-flags',
  'throw-late',
  'reject-late',
  'never-stop',
  'fail-on-stop',
  'span',
] as const;

await runService({
  name: 'demo',
  description: 'Does what a test asks for.',
  version: '1.2.3',
  flags: {
    scenario: enumFlag({ description: 'What to do.', values: scenarios, default: 'serve' }),
    webhookBindAddress: addressFlag({ description: 'Where webhooks are served.', default: '127.0.0.1:0' }),
    greeting: stringFlag({ description: 'What to say.' }),
  },
  async run({ flags, log, signal, serve, tracer }) {
    const stopped = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    log.info({ greeting: flags.greeting }, 'running');
    switch (flags.scenario) {
      case 'finish':
        return;
      case 'fail':
        throw new Error('broken');
      case 'refuse-flags':
        throw new UsageError('--greeting must be set');
      case 'throw-late':
        setTimeout(() => {
          throw new Error('an uncaught error');
        }, 1);
        return stopped;
      case 'reject-late':
        setTimeout(() => void Promise.reject(new Error('an unhandled rejection')), 1);
        return stopped;
      case 'never-stop':
        return new Promise<void>(() => setInterval(() => undefined, 1_000));
      case 'fail-on-stop':
        await stopped;
        throw new Error('cannot clean up');
      case 'span':
        await tracer.startActiveSpan('work', async (span) => {
          log.info({}, 'inside');
          await sleep(1);
          span.end();
        });
        return;
      case 'serve':
        if (flags.webhookBindAddress) {
          await serve({
            name: 'webhooks',
            address: flags.webhookBindAddress,
            maxBodyBytes: 1_000,
            routes: (server) => {
              server.post('/webhooks', async (request) => {
                const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
                return { hmac: createHmac('sha256', 'key').update(body).digest('hex') };
              });
            },
          });
        }
        await stopped;
        return signal.throwIfAborted();
    }
  },
});
