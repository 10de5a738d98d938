import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startActionsService } from './index.js';
import type { Dialect } from './options.js';

interface Flags {
  port: number;
  https: boolean;
  dialect: Dialect;
  account: string;
  seed: number;
  busyPolls: boolean;
  separatePorts: boolean;
}

const flags = new Command('actions-service')
  .description('Serves a local double of GitHub Actions on 127.0.0.1 until SIGINT or SIGTERM.')
  .option('--port <number>', 'port to listen on; 0 takes any free one', wholeNumber, 0)
  .option('--https', 'serve TLS with HTTP/2 and HTTP/1.1', false)
  .addOption(new Option('--dialect <name>', 'what to behave like').choices(['live', 'seed']).default('live'))
  .option('--account <name>', 'owner of the repositories and runners', 'acme')
  .option('--seed <number>', 'beginning of the random values', wholeNumber, 1)
  .option('--busy-polls', 'a runner for one job stays until the job completes', false)
  .option('--separate-ports', 'serve each group of endpoints on a separate port', false)
  .parse()
  .opts<Flags>();

const service = await startActionsService({
  port: flags.port,
  protocol: flags.https ? 'https' : 'http',
  dialect: flags.dialect,
  seed: flags.seed,
  busyPolls: flags.busyPolls,
  separatePorts: flags.separatePorts,
  installations: [{ id: 987_654, account: flags.account }],
});
const folder = await mkdtemp(join(tmpdir(), 'actions-service-'));
const stop = (): void => {
  service
    .close()
    .then(() => rm(folder, { recursive: true, force: true }))
    .then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

const privateKeyPath = join(folder, 'app.pem');
await writeFile(privateKeyPath, service.app.privateKey, { mode: 0o600 });
console.log(
  JSON.stringify({
    urls: service.urls,
    appId: service.app.id,
    clientId: service.app.clientId,
    installationId: service.installationId,
    account: flags.account,
    privateKeyPath,
    ca: service.ca ?? null,
  }),
);

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value < 65_536) return value;
  throw new InvalidArgumentError('not a whole number from 0 to 65535');
}
