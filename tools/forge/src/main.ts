import { Command, InvalidArgumentError } from 'commander';
import { startForge } from './forge.js';

const program = new Command('forge')
  .description('Serves a local Git forge on the loopback interface until SIGINT or SIGTERM.')
  .option('--port <number>', 'port to listen on; 0 for a free port', portOf, 0)
  .option(
    '--data-dir <folder>',
    'folder that keeps the state across restarts; without it, the state is deleted at the end',
  )
  .option(
    '--repository <owner/name[=source]>',
    'create a repository, empty or from a bundle, folder or URL; may be repeated',
    (text: string, all: string[]) => [...all, text],
    [],
  )
  .parse();

const { port, dataDir, repository } = program.opts<{
  port: number;
  dataDir?: string;
  repository: string[];
}>();

const forge = await startForge({ port, dataDir });
// Before any output, because a reader of the output may send a signal immediately.
const stop = (): void => {
  forge.close().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);

for (const text of repository) {
  const [, owner = '', name = '', , source] = /^([^/=]+)\/([^/=]+)(=(.+))?$/.exec(text) ?? [];
  if (forge.hasRepository(owner, name)) continue;
  const { cloneUrl } = await forge.createRepository({
    owner,
    name,
    from: source === undefined ? undefined : { path: source },
  });
  console.log(`repository ${cloneUrl}`);
}
console.log(`forge ${forge.url} (GitHub API: ${forge.apiUrl})`);

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new InvalidArgumentError('not a port');
}
